import { encodePacket, flushPacket } from '../../lib/git/serving/packets.js';
import { git } from '../support/git/fixture.js';
import { asHeader, encodePercent } from './sent-anywhere.js';

/** A request of a git client. */
interface GitRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query, percent-encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** The bytes of a text: half of a surrogate pair as bytes that are not UTF-8. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(encodePercent(text).replaceAll('%', ''), 'hex');
}

const delimiter = Buffer.from('0001');
const zero = '0'.repeat(40);
const refs = '/git/acme/info/refs?service=git-upload-pack';

/** A line of git's protocols: the text's first bytes behind a word. */
const line = (word: string, text: string): Buffer =>
  encodePacket(Buffer.concat([Buffer.from(word), bytesOf(text).subarray(0, 60_000)]));

/** Requests with a text in each place that a client fills. */
export function listGitRequests(key: string, head: string): readonly ((text: string) => GitRequest)[] {
  const bearer = { Authorization: `Bearer ${key}` };
  const basic = (pair: string): Readonly<Record<string, string>> => ({
    Authorization: `Basic ${bytesOf(pair).toString('base64')}`,
  });
  const get = (target: string, headers: Readonly<Record<string, string>> = bearer): GitRequest => {
    return { method: 'GET', target, headers };
  };
  const post = (service: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): GitRequest => {
    const type = { 'Content-Type': `application/x-${service}-request`, 'Git-Protocol': 'version=2' };
    return { method: 'POST', target: `/git/acme/${service}`, headers: { ...bearer, ...type, ...headers }, body };
  };
  const upload = (...lines: readonly Buffer[]): GitRequest =>
    post('git-upload-pack', Buffer.concat([...lines, flushPacket]));
  const receive = (...lines: readonly Buffer[]): GitRequest =>
    post('git-receive-pack', Buffer.concat([...lines, flushPacket]));
  const listing = encodePacket('command=ls-refs');
  const fetching = Buffer.concat([encodePacket('command=fetch'), delimiter, encodePacket(`want ${head}\n`)]);
  return [
    (text) => get(`/git/${encodePercent(text)}/info/refs?service=git-upload-pack`),
    (text) => get(`/git/acme/${encodePercent(text)}`),
    (text) => get(`/git/acme/info/refs?service=${encodePercent(text)}`),
    (text) => get(refs, basic(`${text}:${key}`)),
    (text) => get(refs, basic(`x:${text}`)),
    (text) => get(refs, { Authorization: `Bearer ${asHeader(text)}` }),
    (text) => get(refs, { ...bearer, 'Git-Protocol': asHeader(text), 'User-Agent': asHeader(text) }),
    (text) => post('git-upload-pack', listing, { 'Content-Encoding': asHeader(text) }),
    (text) => post('git-upload-pack', listing, { 'Content-Type': asHeader(text) }),
    (text) => post('git-upload-pack', bytesOf(text)),
    (text) => post('git-receive-pack', bytesOf(text)),
    (text) => upload(line('command=', text)),
    (text) => upload(listing, line('agent=', text)),
    (text) => upload(listing, delimiter, line('ref-prefix ', text)),
    ...['want ', 'have ', 'filter ', 'shallow ', 'deepen ', ''].map(
      (word) => (text: string) => upload(fetching, line(word, text)),
    ),
    (text) => receive(line(`${zero} ${head} `, text)),
    (text) => receive(line(`${zero} ${head} refs/heads/main\0`, text)),
    (text) => receive(line('', text)),
  ];
}

/** What a commit says of itself, in bytes that need not be UTF-8. */
interface Said {
  readonly name: Buffer;
  readonly author: Buffer;
  readonly message: Buffer;
}

/** Where a pusher's commit can hold any text: it then stands in one of these places. */
export const saidPlaces: readonly (keyof Said)[] = ['name', 'author', 'message'];

/**
 * Writes a commit that adds one file at the root, with a text in its content and in one place, however wrong.
 * @returns the commit's id
 */
export function commitText(folder: string, head: string, place: keyof Said, text: string): string {
  const usual: Said = { name: Buffer.from('any.md'), author: Buffer.from('Ada'), message: Buffer.from('m') };
  const said = bytesOf(text);
  // git's own client cannot send a tree with an empty name, or with a name that a zero ends.
  const isSendable = place !== 'name' || (said.length > 0 && !said.includes(0));
  const { name, author, message }: Said = { ...usual, ...(isSendable ? Object.fromEntries([[place, said]]) : {}) };
  const content = writeObject(folder, 'blob', bytesOf(`${place} ${text}`));
  // A folder stands as if its name ended with a slash; the name of the new file is no folder's.
  const entries = git(folder, ['ls-tree', '-z', head]).toString('latin1').split('\0').slice(0, -1);
  const before = entries.map((entry) => {
    const [, mode = '', type = '', oid = '', path = ''] = /^0?(\d+) (\w+) (\w+)\t(.*)$/s.exec(entry) ?? [];
    return { mode, oid, path, rank: type === 'tree' ? `${path}/` : path };
  });
  const path = name.toString('latin1');
  const all = [...before.filter((entry) => entry.path !== path), { mode: '100644', oid: content, path, rank: path }];
  const sorted = all.toSorted((one, other) => (one.rank < other.rank ? -1 : 1));
  const bytes = sorted.flatMap((entry) => [
    Buffer.from(`${entry.mode} ${entry.path}\0`, 'latin1'),
    Buffer.from(entry.oid, 'hex'),
  ]);
  const root = writeObject(folder, 'tree', Buffer.concat(bytes));
  const when = ' <ada@example.org> 1700000000 +0000\n';
  const lines = [`tree ${root}\nparent ${head}\nauthor `, author, `${when}committer Ada${when}\n`, message];
  return writeObject(folder, 'commit', Buffer.concat(lines.map((each) => Buffer.from(each))));
}

function writeObject(folder: string, type: string, content: Buffer): string {
  const parameters = ['hash-object', '-t', type, '-w', '--stdin', '--literally'];
  return git(folder, parameters, content).toString().trim();
}
