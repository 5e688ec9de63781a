import type { Description } from '../requests/description.js';

/**
 * The description's text for clients of a service below a path.
 * @param base the path, without a slash at its end; '' where there is none
 */
export function describeBelow(base: string, { text }: Description): string {
  return base === '' ? text : text.replace(/^( {2}- url: )\/$/m, (_, start: string) => start + JSON.stringify(base));
}
