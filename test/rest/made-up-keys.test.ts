import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { formatKey } from '../../lib/access/secret.js';
import { unavailable } from '../../lib/domain/refusal.js';
import { openTestServer, type TestServer } from '../support/http/server.js';

describe('A stranger with made-up keys', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await openTestServer();
  });
  afterEach(() => server.close());

  const secret = 'b'.repeat(52);

  it('is answered the same, after the same hash, for an existing workspace and an absent one', async () => {
    const hash = Object.getPrototypeOf(createHash('sha256')) as { update(data: unknown): unknown };
    const own = hash.update;
    let hashed = 0;
    hash.update = function update(this: unknown, ...values: [unknown]): unknown {
      if (values[0] === secret) hashed += 1;
      return own.apply(this, values);
    };
    const answers: (readonly [number, string, number])[] = [];
    try {
      for (const workspace of ['acme', 'absent']) {
        hashed = 0;
        const { status, refusal } = await server.as(makeUp(workspace)).get('/v1/folders');
        answers.push([status, refusal, hashed]);
      }
    } finally {
      hash.update = own;
    }
    assert.deepEqual(answers, [
      [401, 'UNAUTHENTICATED', 1],
      [401, 'UNAUTHENTICATED', 1],
    ]);
  });

  it('has the same allowance for an unreadable workspace as for a readable one', async () => {
    const { service } = server.host;
    Object.defineProperty(service, 'find', {
      value: () => {
        throw unavailable();
      },
      configurable: true,
    });
    const refusals = new Map<string, number>();
    try {
      for (let count = 0; count < 302; count += 1) {
        const { refusal } = await server.as(makeUp('acme')).get('/v1/folders');
        refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
      }
    } finally {
      Reflect.deleteProperty(service, 'find');
    }
    assert.deepEqual(
      [...refusals],
      [
        ['UNAVAILABLE', 300],
        ['RATE_LIMITED', 2],
      ],
    );
  });

  const makeUp = (workspace: string): string => formatKey({ workspace, credentialId: '0123456789abcdef', secret });
});
