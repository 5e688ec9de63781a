import type { Document } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import type { Page } from '../../domain/page.js';
import type { ReadOperation } from '../operation.js';

export interface ListInput {
  readonly location: Location;
  /** The last name of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** Documents directly in a folder. Those out of reach are left out, and an absent folder has none. */
export const listDocuments: ReadOperation<ListInput, Page<Document>> = {
  kind: 'read',
  name: 'document.list',
  needs: () => [],
  note: ({ location }) => ({ target: location }),
  run: ({ view }, { location, after, limit }) => view.documents(location, after, limit),
};
