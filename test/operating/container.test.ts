import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ask,
  findFreePort,
  makeFolder,
  runProgram,
  startProgram,
  tidyUp,
  timeout,
} from '../support/processes/run-program.js';

describe('The description of the container image', function () {
  this.timeout(timeout);

  after(tidyUp);

  const [, build = [], run = []] = readStages();
  const all = (stage: readonly Instruction[], name: string): string[] =>
    stage.filter((each) => each.name === name).map(({ value }) => value);
  const settings = Object.fromEntries(
    all(run, 'ENV').flatMap((value) => value.split(' ').map((pair) => pair.split('=') as [string, string])),
  );

  it('builds from files that are in the checkout and come along, and leaves data and history behind', () => {
    const copied = all(build, 'COPY').flatMap((value) => value.split(' ').slice(0, -1));
    assert.ok(copied.length > 2);
    assert.deepEqual(
      copied.filter((file) => !existsSync(file)),
      [],
    );
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    for (const name of ['.git', 'node_modules', 'repos', 'dist', '.env', 'cartulary.json']) {
      assert.ok(ignored.includes(name), name);
    }
    assert.deepEqual(
      copied.filter((file) => ignored.includes(file)),
      [],
    );
    const [stage] = all(build, 'FROM');
    assert.match(stage ?? '', / AS build$/);
    assert.deepEqual(all(run, 'COPY'), ['--from=build /opt/cartulary /opt/cartulary']);
    // Whatever a build is given stays in the image's history.
    const given = [...all(build, 'ARG'), ...all(run, 'ARG'), ...Object.keys(settings)];
    assert.deepEqual(
      given.filter((name) => /key|secret|pass|token/i.test(name)),
      [],
    );
  });

  it('has one command in each line, with a backslash at ends of lines alone', () => {
    const steps = [...all(build, 'RUN'), ...all(run, 'RUN')].flatMap((value) => value.split('&&'));
    const commands = steps.map((step) => step.trim());
    assert.deepEqual(
      commands.filter((command) => command === '' || /\\| {2}/.test(command)),
      [],
    );
    assert.deepEqual(
      commands.filter((command, index) => command.startsWith('cp ') && commands.indexOf(command) !== index),
      [],
    );
  });

  it('links the program that the package names', () => {
    const { bin, engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly bin: { readonly cartulary: string };
      readonly engines: { readonly node: string };
    };
    const links = all(run, 'RUN').join('\n');
    assert.ok(links.includes(`ln --symbolic /opt/cartulary/${bin.cartulary} /usr/local/bin/cartulary`), links);
    const [, major = ''] = /ARG BASE=node:(\d+)-/.exec(readFileSync('lib/operating/Containerfile', 'utf8')) ?? [];
    assert.ok(Number(major) >= Number(/\d+/.exec(engines.node)?.[0]), major);
    // The versions of Node on which the whole program is tested.
    assert.match(readFileSync('.ci/run', 'utf8'), new RegExp(`^for version in .*\\b${major}\\b`, 'm'));
  });

  it('never runs as root, has git and an init, and keeps data in volumes of that account', () => {
    const names = run.map(({ name }) => name);
    assert.deepEqual(all(run, 'USER'), ['10001:10001']);
    for (const later of ['VOLUME', 'ENTRYPOINT', 'CMD']) assert.ok(names.indexOf(later) > names.indexOf('USER'), later);
    const prepared = all(run, 'RUN').join('\n');
    for (const said of [
      'install --yes --no-install-recommends git tini',
      '--owner=10001',
      '--mode=0700 /data /backups',
    ]) {
      assert.ok(prepared.includes(said), said);
    }
    assert.deepEqual(JSON.parse(all(run, 'VOLUME')[0] ?? '[]'), ['/data', '/backups']);
    assert.equal(settings['CARTULARY_DATA'], '/data');
    assert.equal(all(run, 'EXPOSE')[0], settings['CARTULARY_PORT']);
    assert.equal(words('ENTRYPOINT')[0], 'tini');
  });

  it('starts the service with its settings, tells its health by exit codes, and stops in time', async () => {
    const [port, data] = [String(await findFreePort()), join(await makeFolder(), 'data')];
    // As in the image, with a folder and a port of this test.
    const environment = { ...settings, CARTULARY_DATA: data, CARTULARY_PORT: port };
    const given = [...words('ENTRYPOINT').slice(3), ...words('CMD')];
    assert.deepEqual([words('ENTRYPOINT').slice(0, 3), given], [['tini', '--', 'cartulary'], ['serve']]);
    const [health = ''] = all(run, 'HEALTHCHECK');
    const asked = JSON.parse(/CMD (\[.*\])$/.exec(health)?.[1] ?? '[]') as string[];
    assert.equal(asked.shift(), 'cartulary');

    const refused = await runProgram(given, { environment });
    assert.equal(refused.code, 1, 'a volume that is not mounted is no workspace');
    await ask('init', '--workspace', 'acme', '--admin', 'Ada', '--data', data);
    assert.equal((await runProgram(asked, { environment })).code, 1);
    const server = await startProgram(given, /^Data: /, { environment });
    assert.equal((await fetch(`http://127.0.0.1:${port}/v1/health`)).status, 200);
    assert.equal((await runProgram(asked, { environment })).code, 0);
    const [signal] = all(run, 'STOPSIGNAL');
    assert.equal(await server.stop(signal as NodeJS.Signals), 0);
    assert.equal((await runProgram(asked, { environment })).code, 1);
  });

  const words = (name: string): string[] => JSON.parse(all(run, name).at(-1) ?? '[]') as string[];
});

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** The instructions of each stage. Lines that end with a backslash go on in the next. */
function readStages(): Instruction[][] {
  const text = readFileSync('lib/operating/Containerfile', 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ');
  const stages: Instruction[][] = [[]];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, name = '', value = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    assert.match(
      name,
      /^(?:ARG|FROM|RUN|WORKDIR|COPY|USER|ENV|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD)$/,
      line,
    );
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, value });
  }
  return stages;
}
