import type { Document } from '../domain/document.js';

/** The description's `Labels`: those of a document. */
export const toLabelsRecord = ({ location, labels }: Pick<Document, 'location' | 'labels'>) => ({ location, labels });
