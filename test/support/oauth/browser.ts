import { request as requestPlainly } from 'node:http';
import { request as requestSafely } from 'node:https';

/** A browser's answer. */
export interface Visited {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The address in Location, absolute; '' when there is none. */
  readonly location: string;
}

interface Kept {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly attributes: string;
}

/** The parts of a browser for a sign-in: cookies held to their paths, forms, and redirects followed one by one. */
export class Browser {
  /** By name and path, which identify a cookie (RFC 6265 §5.3). */
  readonly cookies = new Map<string, Kept>();
  /** Sent along with every request, as a proxy would. */
  readonly headers: Record<string, string> = {};
  readonly #ca: string | undefined;

  /** @param ca a certificate authority to trust, in PEM */
  constructor(ca?: string) {
    this.#ca = ca;
  }

  get(url: string | URL): Promise<Visited> {
    return this.#send('GET', new URL(url));
  }

  /** Posts a form like a page without referrers of the same origin, by default. */
  post(url: string | URL, fields: Readonly<Record<string, string>>, headers = {}): Promise<Visited> {
    const target = new URL(url);
    return this.#send('POST', target, new URLSearchParams(fields).toString(), {
      Origin: 'null',
      'Sec-Fetch-Site': 'same-origin',
      ...headers,
    });
  }

  /** Follows redirects as long as they stay at the service. */
  async follow(from: Visited, origin = new URL(from.url).origin): Promise<Visited> {
    let at = from;
    for (let hops = 0; at.location !== '' && new URL(at.location).origin === origin; hops += 1) {
      if (hops > 9) throw new Error(`Redirects without end, at ${at.location}.`);
      at = await this.get(at.location);
    }
    return at;
  }

  #send(method: string, url: URL, body = '', headers: Readonly<Record<string, string>> = {}): Promise<Visited> {
    const sent: Record<string, string> = { Accept: 'text/html', ...this.headers, ...headers };
    const cookies = [...this.cookies.values()].filter(({ path }) => isWithin(url.pathname, path));
    if (cookies.length > 0) sent['Cookie'] = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    if (method === 'POST') {
      sent['Content-Type'] = 'application/x-www-form-urlencoded';
      sent['Content-Length'] = String(Buffer.byteLength(body));
    }
    return new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? requestSafely : requestPlainly;
      const outgoing = request(url, { method, headers: sent, ca: this.#ca, agent: false }, (response) => {
        for (const line of response.headers['set-cookie'] ?? []) this.#keep(line);
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const { location = '' } = response.headers;
          resolve({
            url: url.href,
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(pieces).toString(),
            location: location === '' ? '' : new URL(location, url).href,
          });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(name.length + 1);
    const path = attributes.find((each) => each.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
    const expires = attributes.find((each) => each.toLowerCase().startsWith('expires='))?.slice(8);
    if (value === '' || (expires !== undefined && Date.parse(expires) === 0)) this.cookies.delete(`${name} ${path}`);
    else this.set(name, value, path, attributes.join('; '));
  }

  set(name: string, value: string, path = '/', attributes = ''): void {
    this.cookies.set(`${name} ${path}`, { name, value, path, attributes });
  }
}

function isWithin(pathname: string, path: string): boolean {
  return pathname === path || path === '/' || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}

/** The fields of a page's form: its hidden fields and ticked boxes. */
export function readForm(page: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [tag] of page.matchAll(/<input\b[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
    const type = attribute('type');
    const name = attribute('name');
    if (name === undefined) continue;
    if ((type === 'checkbox' || type === 'radio') && !/\bchecked\b/.test(tag)) continue;
    fields[name] = attribute('value') ?? '';
  }
  return fields;
}

export function formAction(page: string): string {
  return /<form[^>]*\baction="([^"]*)"/.exec(page)?.[1] ?? '';
}
