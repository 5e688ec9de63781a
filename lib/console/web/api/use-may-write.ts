import { useRead } from './read.ts';
import { useWorkspace } from './session.ts';

/** Whether the person may save versions there; undefined while that is not known. Each save is judged again. */
export function useMayWrite(location: string): boolean | undefined {
  const { name } = useWorkspace();
  const { data } = useRead(name, ['sharing', name, location], '/sharing', { query: { location } });
  return data === undefined ? undefined : data.role !== 'reader';
}
