import { useQuery } from '@tanstack/react-query';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';

/** Whether the person may save changes there; undefined while that is not known. Each save is judged again. */
export function useMayWrite(location: string): boolean | undefined {
  const { name } = useWorkspace();
  const { data } = useQuery({
    queryKey: ['sharing', name, location],
    queryFn: ({ signal }) => dataOf(apiOf(name).GET('/sharing', { params: { query: { location } }, signal })),
  });
  return data === undefined ? undefined : data.role !== 'reader';
}
