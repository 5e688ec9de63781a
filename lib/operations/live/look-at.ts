import { createHash } from 'node:crypto';
import type { Claim } from '../../domain/claim.js';
import type { Document } from '../../domain/document.js';
import { rootLocation, type Location } from '../../domain/location.js';
import type { View } from '../../view/view.js';

/** Each value but the version is a digest, which changes whenever that part of the caller's view does. */
export type LiveState =
  | {
      readonly kind: 'document';
      /** The current version's id. */
      readonly version: string;
      /** The document itself and the caller's role on it. */
      readonly record: string;
      readonly labels: string;
      readonly claims: string;
      readonly comments: string;
    }
  | {
      readonly kind: 'folder';
      /** The caller's role there. */
      readonly record: string;
      /** Its first folders and documents, with their versions, labels and claims. */
      readonly entries: string;
    };

/** A look at a place. */
export interface Look {
  readonly state: LiveState;
  /** When the state changes by itself, because a claim runs out. Milliseconds since 1970; infinite for never. */
  readonly endsAt: number;
}

/** Folders and documents of a folder that count, by name. Each look costs as much. */
const maxEntries = 200;

/**
 * The present state of a document or folder as the caller sees it. It comes from the view alone, so nothing hidden is
 * in it.
 * @returns undefined where the caller finds nothing
 */
export function lookAt(view: View, location: Location): Look | undefined {
  const document = location === rootLocation ? undefined : view.document(location);
  if (document !== undefined) return lookAtDocument(view, document);
  // The root is there for everybody, as its listing is.
  const folder = view.folder(location);
  return folder === undefined && location !== rootLocation ? undefined : lookAtFolder(view, location);
}

function lookAtDocument(view: View, document: Document): Look {
  const { id, number, location, current, labels, claims, readOnly } = document;
  return {
    state: {
      kind: 'document',
      version: current.id,
      record: digest([id, readOnly, view.roleAt(location)]),
      labels: digest(labels),
      claims: digest(claims),
      comments: digest(view.tables.comments.summarize(number)),
    },
    endsAt: endOf(claims),
  };
}

function lookAtFolder(view: View, location: Location): Look {
  const folders = view.folders(location, '', maxEntries).items;
  const documents = view.documents(location, '', maxEntries).items;
  const entries = [
    folders.map(({ name, readOnly }) => [name, readOnly]),
    documents.map(({ id, name, current, labels, claims, readOnly }) => [
      id,
      name,
      current.id,
      labels,
      claims,
      readOnly,
    ]),
  ];
  return {
    state: { kind: 'folder', record: digest([view.reach.roleIn(location)]), entries: digest(entries) },
    endsAt: endOf(documents.flatMap(({ claims }) => claims)),
  };
}

function endOf(claims: readonly Claim[]): number {
  return claims.reduce((end, { expiresAt }) => Math.min(end, expiresAt), Infinity);
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
