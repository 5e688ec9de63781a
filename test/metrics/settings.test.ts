import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig, type Config } from '../../lib/config.js';
import { checkSurroundings } from '../../lib/commands/operator/diagnose.js';

const secret = 'a-token-of-some-length';

describe('the settings of the metrics', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-metrics-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('serve nothing by default, and on this machine alone where only a port is set', () => {
    assert.equal(load({}).metrics, null);
    assert.equal(load({ CARTULARY_METRICS_HOST: '::1' }).metrics, null);
    assert.deepEqual(load({ CARTULARY_METRICS_PORT: '9464' }).metrics, { host: '127.0.0.1', port: 9464, token: null });
  });

  it('take no short token, and do not show it', () => {
    const environment = { CARTULARY_METRICS_PORT: '9464', CARTULARY_METRICS_TOKEN: 'short-secret' };
    assert.throws(
      () => load(environment),
      (error) => error instanceof ConfigError && !error.message.includes('short-secret'),
    );
  });

  it('are a problem for doctor where other hosts can read them without a token', async () => {
    const port = { CARTULARY_METRICS_PORT: '9464' };
    assert.equal(await examine({}), undefined);
    assert.equal(await examine(port), true);
    assert.equal(await examine({ ...port, CARTULARY_METRICS_HOST: '::1' }), true);
    assert.equal(await examine({ ...port, CARTULARY_METRICS_HOST: '0.0.0.0' }), false);
    const withToken = { ...port, CARTULARY_METRICS_HOST: '0.0.0.0', CARTULARY_METRICS_TOKEN: secret };
    assert.equal(await examine(withToken), true);
  });

  const examine = async (environment: Readonly<Record<string, string>>): Promise<boolean | undefined> => {
    const surroundings = { ...load(environment), dataFolder: folder, git: 'never', now: Date.now() } as const;
    const found = (await checkSurroundings(surroundings)).find(({ name }) => name === 'metrics');
    assert.ok(!JSON.stringify(found ?? {}).includes(secret), 'the token is not told');
    return found?.ok;
  };
});

const load = (environment: Readonly<Record<string, string>>): Config => loadConfig({ flags: {}, environment });
