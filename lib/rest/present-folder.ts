import type { Folder } from '../domain/document.js';
import { answerJson, type Answer } from './answer.js';

/** The description's `Folder`. */
export function presentFolder({ location, name, readOnly }: Folder): object {
  return { location, name, read_only: readOnly, source: null };
}

/** Location leads to what the folder holds. */
export function presentCreatedFolder(folder: Folder): Answer {
  const query = new URLSearchParams({ location: folder.location });
  return answerJson(201, presentFolder(folder), { Location: `/v1/documents?${query.toString()}` });
}
