/** The client library: `import { Cartulary } from 'cartulary/client'`. It runs in Node and in browsers. */
export { Cartulary, type CartularyOptions, type CreateOptions } from './cartulary.js';
export {
  Document,
  StaleVersionError,
  type DeletedDocument,
  type DocumentRecord,
  type UpdateOptions,
} from './document.js';
export {
  ApiError,
  CartularyError,
  ConnectionError,
  InvalidRequestError,
  type ApiErrorFields,
  type ErrorCode,
  type ErrorDetails,
  type ErrorReason,
} from './errors.js';
export type { Change, ChangePage, FollowOptions } from './follow-changes.js';
export type { RequestOptions, WriteOptions } from './operations.js';
export { List, type Page } from './pages.js';
export type { Answered, Bytes } from './requests.js';
export type { Pace } from './pace.js';
export type { components, paths } from './described.js';
