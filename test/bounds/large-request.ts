import type { Role } from '../../lib/domain/role.js';

/** A request with the largest input, or the largest output, that its route allows. */
export interface LargeRequest {
  /** The route's method and path, as in the table. */
  readonly route: string;
  /** The kind of request, where a route has several. */
  readonly kind?: string;
  readonly as: 'nobody' | Role | 'admin in the console';
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The required status. It shows that the request did its work. */
  readonly status: number;
}

export const json = (value: object): string => JSON.stringify(value);
