// A connector for a feed: a JSON list such as [{ "path": "a.md", "url": "files/a.md", "version": "1", "size": 5 }].
// Each file is sent with its version as the ETag. Settings: { "feed": "https://…" }. The secret is the feed's token.
// The operator names the only origin that it talks to: "feed=/usr/bin/node mirror-feed.mjs https://example.com".
import { createInterface } from 'node:readline';

const say = (id, message) => process.stdout.write(`${JSON.stringify({ ...message, id })}\n`);
const fault = (name, message) => Object.assign(new Error(message), { fault: name });
const running = new Map(); // the generator of each list and read, by the id of the request
const { origin } = new URL(process.argv[2]);
let feed, secret;

async function get(url, method = 'GET') {
  const headers = secret === null ? {} : { authorization: `Bearer ${secret}` };
  // Neither a setting nor the feed itself sends the token, or a request of this machine, to another host.
  const address = URL.canParse(url, feed) ? new URL(url, feed) : undefined;
  if (address?.origin !== origin) throw fault('denied_egress', `Only addresses of ${origin} are read.`);
  let response;
  try {
    response = await fetch(address, { method, headers, redirect: 'manual' });
  } catch {
    throw fault('network', 'The feed does not answer. It is asked again later.');
  }
  if (response.status === 401) throw fault('auth', 'The feed refuses the token. Give it another one.');
  if (!response.ok && url === feed) throw fault('not_found', `The feed answers with status ${response.status}.`);
  return response;
}

async function* list() {
  const response = await get(feed);
  const entries = (await response.json()).map(({ path, version, size }) => ({ type: 'file', path, version, size }));
  for (let at = 0; at < entries.length; at += 200) yield { type: 'entries', entries: entries.slice(at, at + 200) };
  return { type: 'listed', cursor: response.headers.get('etag'), version: null };
}

async function* read({ path, version }) {
  const found = (await (await get(feed)).json()).find((each) => each.path === path);
  const response = found && (await get(found.url));
  if (response?.headers.get('etag') !== version) return { type: 'unreadable', reason: 'unreadable' };
  let size = 0;
  for await (const chunk of response.body) {
    for (let at = 0; at < chunk.length; at += 150_000) {
      // a message holds at most 180,000 bytes
      yield { type: 'content', base64: Buffer.from(chunk.subarray(at, at + 150_000)).toString('base64') };
    }
    size += chunk.length;
  }
  return { type: 'complete', size };
}

const answers = {
  hello({ settings, secret: given }) {
    [feed, secret] = [settings.feed, given];
    say(undefined, { type: 'ready', protocol: 1, name: 'mirror-feed', probe: true });
  },
  check: async ({ id }) =>
    say(id, { type: 'checked', found: `The feed is version ${(await get(feed)).headers.get('etag')}.` }),
  probe: async ({ id, cursor }) =>
    say(id, { type: 'probed', changed: (await get(feed, 'HEAD')).headers.get('etag') !== cursor }),
  list({ id }) {
    running.set(id, list());
    say(id, { type: 'listing', mode: 'snapshot' });
  },
  read: ({ id, file }) => running.set(id, read(file)),
  async next({ id }) {
    const { value, done } = (await running.get(id)?.next()) ?? {};
    if (!value || !running.has(id)) return; // it is over, or was cancelled meanwhile
    say(id, value);
    if (done) running.delete(id);
  },
  cancel: ({ id }) => running.delete(id) && say(id, { type: 'cancelled' }),
};

async function answer(message) {
  try {
    await answers[message.type](message);
  } catch (error) {
    if (message.type === 'next' && !running.delete(message.id)) return;
    say(message.id, { type: 'fault', fault: error.fault ?? 'internal', message: error.message });
  }
}

for await (const line of createInterface({ input: process.stdin })) void answer(JSON.parse(line));
process.exit(0); // the service has closed our input
