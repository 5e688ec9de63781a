import assert from 'node:assert/strict';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  ConfigError,
  findFault,
  listUnknownVariables,
  loadConfig,
  packagePath,
  type ConfigSources,
} from '../lib/config.js';
import { skipBecause } from './support/skip.js';

describe('the configuration', () => {
  let folder: string;
  let file: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-config-'));
    file = join(folder, 'settings.json');
  });
  after(() => rm(folder, { recursive: true }));

  it('is complete and frozen without any setting', async () => {
    await writeFile(file, '{}');
    const config = load({});
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.port, 8080);
    assert.deepEqual([config.trustProxy, config.corsOrigins, config.publicUrl], [0, [], null]);
    assert.ok(Object.isFrozen(config) && Object.isFrozen(config.corsOrigins));
  });

  it('prefers an option to the environment, and the environment to the file', async () => {
    await writeFile(file, JSON.stringify({ port: 1001, host: 'from-file', git: 'never', data: 'data' }));
    const config = load({
      flags: { port: '3003' },
      environment: { CARTULARY_PORT: '2002', CARTULARY_HOST: 'from-environment', CARTULARY_LOG_LEVEL: '' },
    });
    assert.deepEqual([config.port, config.host, config.git], [3003, 'from-environment', 'never']);
    assert.equal(config.data, join(folder, 'data'), "a file's paths are read from where it lies");
    assert.equal(config.logLevel, 'info', 'an empty variable sets nothing');
  });

  it('reads lists, numbers and truth from text', async () => {
    await writeFile(file, '{}');
    const config = load({
      environment: {
        CARTULARY_TRUST_PROXY: 'loopback, 10.0.0.0/8,::1',
        CARTULARY_CORS_ORIGINS: 'https://a.example,http://localhost:5173',
        CARTULARY_VALIDATE_RESPONSES: 'true',
        CARTULARY_PUBLIC_URL: 'https://files.example/base/',
      },
    });
    assert.deepEqual(config.trustProxy, ['loopback', '10.0.0.0/8', '::1']);
    assert.deepEqual(config.corsOrigins, ['https://a.example', 'http://localhost:5173']);
    assert.equal(config.validateResponses, true);
    assert.equal(config.publicUrl, 'https://files.example/base');
    assert.equal(load({ flags: { trust_proxy: '2' } }).trustProxy, 2);
  });

  it('lets connectors reach nothing private unless it is named', async () => {
    await writeFile(file, '{}');
    const none = load({});
    assert.deepEqual([none.connectorHosts, none.connectorFolders, none.connectorPrograms], [[], [], {}]);
    const some = load({
      environment: {
        CARTULARY_CONNECTOR_HOSTS: 'git.intern:3000, [fd00::1]:443',
        CARTULARY_CONNECTOR_FOLDERS: '/srv/notes',
        CARTULARY_CONNECTOR_PROGRAMS: 'drive=/opt/drive --quiet  --root=/a',
      },
    });
    assert.deepEqual(some.connectorHosts, ['git.intern:3000', '[fd00::1]:443']);
    assert.deepEqual(some.connectorFolders, ['/srv/notes']);
    assert.deepEqual(some.connectorPrograms, { drive: ['/opt/drive', '--quiet', '--root=/a'] });
    assert.ok(Object.isFrozen(some.connectorPrograms));
  });

  describe('in a file that the options do not name', () => {
    let before: string;
    let usual: string;

    beforeEach(async () => {
      before = process.cwd();
      usual = join(folder, 'cartulary.json');
      await rm(usual, { force: true });
      await writeFile(usual, JSON.stringify({ port: 1001 }));
      process.chdir(folder);
    });
    afterEach(() => process.chdir(before));

    it('is read where it belongs to this account, and where it is absent, nothing is', async () => {
      assert.equal(load({ file: undefined }).port, 1001);
      await rm(usual);
      assert.equal(load({ file: undefined }).port, 8080);
    });

    it('is not read where every account could have written it, unless it is named', async () => {
      await chmod(usual, 0o666);
      refuse(/cartulary\.json can be written by every account of this machine\. Name it with --config/);
      assert.equal(load({ file: usual }).port, 1001);
    });

    it('is not read where it belongs to another account, unless it is named', async function () {
      if (process.geteuid?.() !== 0) skipBecause(this, 'Only root can give a file away.');
      await chown(usual, 65534, 65534);
      refuse(/cartulary\.json belongs to another account of this machine\. Name it with --config/);
      assert.equal(load({ file: usual }).port, 1001);
    });

    const refuse = (why: RegExp): void =>
      assert.throws(
        () => load({ file: undefined }),
        (error: unknown) => error instanceof ConfigError && why.test(error.message),
      );
  });

  const wrong: readonly (readonly [string, string, RegExp])[] = [
    [
      'PORT',
      '65536',
      /^port must be a whole number from 0 to 65535, and is 65536 \(environment variable CARTULARY_PORT\)\.$/,
    ],
    ['PORT', '80a', /^port must be a whole number from 0 to 65535, and is "80a"/],
    ['GIT', 'yes', /^git must be one of auto, never/],
    ['PUBLIC_URL', 'ftp://files.example', /^public_url must be an http or https address/],
    ['PUBLIC_URL', 'https://files.example/?q', /^public_url must be an http or https address/],
    ['CORS_ORIGINS', 'https://a.example/', /^cors_origins must be a list, and each entry a web origin/],
    ['CORS_ORIGINS', 'https://a.example,*', /^cors_origins must be a list, .* and is \["https:\/\/a\.example","\*"\]/],
    [
      'TRUST_PROXY',
      'loopback,all',
      /^trust_proxy must be a whole number from 0 to 16, or a list, and each entry an IP address/,
    ],
    ['TRUST_PROXY', '10.0.0.0/33', /^trust_proxy must be .* an IP address/],
    ['TRUST_PROXY', '17', /^trust_proxy must be a whole number from 0 to 16, or/],
    ['VALIDATE_RESPONSES', 'yes', /^validate_responses must be true or false/],
    ['CONNECTOR_HOSTS', 'git.example', /^connector_hosts must be a list, and each entry a host and a port/],
    ['CONNECTOR_HOSTS', 'https://git.example:443', /^connector_hosts must be/],
    ['CONNECTOR_HOSTS', 'git.example:65536', /^connector_hosts must be/],
    ['CONNECTOR_HOSTS', 'fd00::1:80', /^connector_hosts must be/],
    ['CONNECTOR_FOLDERS', 'data', /^connector_folders must be a list, and each entry the absolute path/],
    ['CONNECTOR_FOLDERS', '/', /^connector_folders must be/],
    ['CONNECTOR_FOLDERS', '/srv/../etc', /^connector_folders must be/],
    ['CONNECTOR_PROGRAMS', 'drive', /^connector_programs must be a list, and each entry a name of lower-case letters/],
    ['CONNECTOR_PROGRAMS', 'drive=bin/drive', /^connector_programs must be/],
    ['CONNECTOR_PROGRAMS', 'a=/x,a=/y', /^connector_programs must give each program a name of its own/],
    [
      'FOLLOW',
      'team/prod',
      /^follow must be the address of a bucket, such as s3:\/\/backups\/cartulary, and is "team\/prod"/,
    ],
    ['FOLLOW', 's3://', /^follow must be the address of a bucket/],
    ['FOLLOW', 's3://team/prod', /^Set follow_recipients too: .*`\S* ?\S* ?follow key FILE`/],
    [
      'FOLLOW_RECIPIENTS',
      'ssh-ed25519 AAAA',
      /^follow_recipients must be a list, and each entry a recipient that begins/,
    ],
    ['FOLLOW_RECIPIENTS', 'AGE-SECRET-KEY-1ABC', /^follow_recipients must be .* and is something else/],
    ['FOLLOW_INTERVAL', '0', /^follow_interval must be a whole number from 1 to 3600/],
    ['WORKSPACE', 'Acme', /^workspace must be up to 39 lower-case letters, digits and hyphens/],
  ];

  for (const [name, value, message] of wrong) {
    it(`refuses ${name} ${value}, naming it`, async () => {
      await writeFile(file, '{}');
      assert.throws(
        () => load({ environment: { [`CARTULARY_${name}`]: value } }),
        (error: unknown) => error instanceof ConfigError && message.test(error.message),
      );
    });
  }

  it('names every wrong setting at once, and a file that holds no settings', async () => {
    await writeFile(file, JSON.stringify({ prot: 8080, port: '8080' }));
    assert.throws(() => load({}), /prot is no setting \(.*settings\.json\)[^]*port must be a whole number/);
    await writeFile(file, '[1]');
    assert.throws(() => load({}), /settings\.json must hold one JSON object/);
    await writeFile(file, '{');
    assert.throws(() => load({}), /settings\.json is not JSON/);
    assert.throws(() => load({ file: join(folder, 'nowhere.json') }), /nowhere\.json cannot be read/);
  });

  it('takes another provider whole or not at all, over https or on this machine, and never shows its secret', async () => {
    await writeFile(file, '{}');
    const names = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'];
    const set = (...values: string[]) =>
      load({ environment: Object.fromEntries(values.map((value, index) => [`CARTULARY_${names[index]}`, value])) });
    assert.equal(load({}).upstream, null);
    const whole = { issuer: 'https://id.example.org', clientId: 'a', clientSecret: 'b', name: 'id.example.org' };
    assert.deepEqual(set('https://id.example.org', 'a', 'b').upstream, whole);
    assert.equal(set('http://127.0.0.1:9000/realm', 'a', 'b').upstream?.issuer, 'http://127.0.0.1:9000/realm');
    assert.throws(() => set('https://id.example.org'), /set oidc_client_id and oidc_client_secret too/);
    for (const issuer of ['http://id.example.org', 'http://localhost.example.org', 'http://127.0.0.1.example.org']) {
      assert.throws(() => set(issuer, 'a', 'b'), /oidc_issuer must be an https address/, issuer);
    }
    await writeFile(file, JSON.stringify({ oidc_client_secret: [54321] }));
    assert.throws(
      () => load({}),
      (error: Error) => /oidc_client_secret/.test(error.message) && !error.message.includes('54321'),
    );
  });

  it('allows what its schema allows by the library of JSON Schema', async () => {
    const schema = JSON.parse(await readFile(packagePath('schema', 'config.json'), 'utf8')) as {
      properties: Record<string, Parameters<typeof findFault>[0]>;
    };
    const ajv = new Ajv2020({
      strict: true,
      allowUnionTypes: true,
      formats: {
        'web-address': true,
        'web-origin': true,
        'proxy-address': true,
        'host-port': true,
        'bucket-address': true,
        'age-recipient': true,
        'absolute-path': true,
        'connector-program': true,
      },
    });
    const samples = [
      null,
      true,
      0,
      1,
      16,
      17,
      65535,
      65536,
      0.5,
      -1,
      1e300,
      '',
      'a',
      'auto',
      'info',
      'x'.repeat(39),
      'x'.repeat(40),
      'x'.repeat(41),
      '\u{1F600}'.repeat(40),
      '-a',
      'a-',
      'A',
      'a\n',
      [],
      ['loopback'],
      ['127.0.0.1', '::1/128'],
      [['loopback']],
      'https://files.example.org',
      ['https://files.example.org'],
      {},
    ];
    for (const [name, rule] of Object.entries(schema.properties)) {
      const validate = ajv.compile(rule);
      for (const sample of samples) {
        const text = `${name} ${JSON.stringify(sample)}`;
        // The library leaves formats to us.
        if (findFault(rule, sample) === undefined) assert.ok(validate(sample), text);
        else if (!JSON.stringify(rule).includes('"format"')) assert.ok(!validate(sample), text);
      }
    }
  });

  it('lists variables that look like settings and are none', () => {
    assert.deepEqual(listUnknownVariables({ CARTULARY_PROT: '1', CARTULARY_PORT: '1', PATH: '' }), ['CARTULARY_PROT']);
  });

  const load = (sources: Partial<ConfigSources>) => loadConfig({ flags: {}, environment: {}, file, ...sources });
});
