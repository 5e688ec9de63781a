import { useLocation } from 'wouter';
import { apiOf, dataOf, newIdempotencyKey } from '../../api/client.ts';
import { showProblem, showToast } from '../../design/toast.tsx';
import { addressOf, folderOf } from '../../navigation/addresses.ts';
import type { Reading } from './use-reading.ts';

/** Deletes the document as it was read, goes to its folder, and offers the way back. */
export function useDelete(workspace: string, { location, name, id, etag }: Reading['document']): () => Promise<void> {
  const [, navigate] = useLocation();
  const bringBack = async (key: string): Promise<void> => {
    const params = { header: { 'Idempotency-Key': key } };
    try {
      await dataOf(apiOf(workspace).POST('/trash/undeletes', { params, body: { location, document_id: id } }));
      navigate(addressOf.document(workspace, location));
    } catch (error) {
      showProblem(error);
    }
  };
  return async () => {
    const params = { path: { location }, header: { 'If-Match': etag } };
    try {
      await dataOf(apiOf(workspace).DELETE('/documents/{location}', { params }));
      navigate(addressOf.folder(workspace, folderOf(location)));
      const key = newIdempotencyKey();
      showToast({ text: `${name} is deleted.`, action: { label: 'Undo', run: () => void bringBack(key) } });
    } catch (error) {
      showProblem(error);
    }
  };
}
