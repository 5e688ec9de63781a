/**
 * The whole path of a document or folder from the workspace root: NFC, segments joined by `/`, no slash at either end.
 * `parseLocation` is the only way from a string to one. The type has a file of its own, since refusals name locations
 * and `parseLocation` throws refusals. Import it from `location.ts`.
 */
export type Location = string & { readonly __brand: 'Location' };
