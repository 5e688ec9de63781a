import { useQuery } from '@tanstack/react-query';
import { apiAddress, request } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';

/** Whether the person may write a version: then the way to restore one is shown. */
export function useMayRestore(location: string): boolean {
  const { name } = useWorkspace();
  const { data } = useQuery({
    queryKey: ['sharing', name, location],
    queryFn: async ({ signal }) => {
      const address = apiAddress(name, `/sharing?location=${encodeURIComponent(location)}`);
      return (await (await request(address, { signal })).json()) as { readonly role: string };
    },
  });
  return data !== undefined && data.role !== 'reader';
}
