import { useQuery } from '@tanstack/react-query';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';

/** Whether the person may write a version: then the way to restore one is shown. */
export function useMayRestore(location: string): boolean {
  const { name } = useWorkspace();
  const { data } = useQuery({
    queryKey: ['sharing', name, location],
    queryFn: ({ signal }) => dataOf(apiOf(name).GET('/sharing', { params: { query: { location } }, signal })),
  });
  return data !== undefined && data.role !== 'reader';
}
