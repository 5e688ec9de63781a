import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram, startProgram } from '../support/processes/run-program.js';
import { deleted, readAnswers, type Kept, type Keys } from './answers.js';
import type { OldFolder } from './old-folders.js';

interface People extends Keys {
  readonly readerId: string;
}

interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** One program of an earlier commit, and the data folder that it writes. */
export class OldProgram {
  readonly #program: string;
  readonly #data: string;
  #url = '';
  #serial = 0;

  constructor(program: string, data: string) {
    this.#program = program;
    this.#data = data;
  }

  async write(end: OldFolder['end']): Promise<Kept> {
    const { key: admin } = await this.#ask<{ key: string }>('init', '--workspace', 'acme', '--admin', 'Ada');
    await this.#ask('policy', 'set', 'burst', '100000');
    const source = join(this.#data, '..', 'source');
    const settings = { CARTULARY_CONNECTOR_FOLDERS: source };
    const program = this.#program;
    const running = await startProgram(['serve', '--data', this.#data, '--port', '0', '--json'], /^\{/, {
      program,
      environment: (await this.#knows('connector')) ? settings : {},
    });
    this.#url = (JSON.parse(running.lines[0] ?? '') as { url: string }).url;
    const people = await this.#addPeople(admin);
    await this.#writeDocuments(people);
    const later = await this.#writeLater(people, source);
    const answers = {
      admin: await readAnswers((target, key) => this.#get(target, key), people.admin),
      reader: await readAnswers((target, key) => this.#get(target, key), people.reader),
      audit: await this.#readHead(),
    };
    const madeAt = Date.now();
    await running.stop(end === 'killed' ? 'SIGKILL' : 'SIGTERM');
    const { readerId: _, ...keys } = people;
    return { keys, answers, madeAt, ...later };
  }

  async #addPeople(admin: string): Promise<People> {
    const add = (name: string, kind: string): Promise<{ id: string }> =>
      this.#ask('principal', 'add', name, '--kind', kind);
    const { id: readerId } = await add('Ben', 'person');
    const { id: agent } = await add('Scribe', 'agent');
    const { id: group } = await this.#ask<{ id: string }>('group', 'add', 'Readers');
    await this.#ask('group', 'join', group, '--member', `principal:${readerId}`);
    const grant = (location: string, subject: string, role: string): Promise<unknown> =>
      this.#ask('grant', 'add', '--scope-type', 'folder', '--scope-id', location, '--subject', subject, '--role', role);
    await grant('notes', `group:${group}`, 'reader');
    await grant('fields', `group:${group}`, 'reader');
    await grant('notes', `principal:${agent}`, 'editor');
    const mint = async (principal: string, name: string): Promise<{ id: string; secret: string }> => {
      const opens = ['--principal', principal, '--rest', '--name', name, '--expires', 'never'];
      const minted = await this.#ask<{ id: string; key?: string; secret?: string }>('key', 'mint', ...opens);
      return { id: minted.id, secret: minted.key ?? minted.secret ?? '' };
    };
    const { secret: reader } = await mint(readerId, 'laptop');
    const { id: lost, secret: revoked } = await mint(agent, 'lost');
    await this.#ask('key', 'revoke', lost);
    return { admin, reader, revoked, readerId };
  }

  async #writeDocuments({ admin }: Keys): Promise<void> {
    const create = (location: string, content: string, more: object = {}): Promise<Answer> =>
      this.#send('POST', '/v1/documents', admin, { location, content, ...more });
    await create('notes/plan.md', '# Plan\n\nThe harvest begins in autumn.\n');
    const { json } = await this.#get('/v1/documents/notes/plan.md', admin);
    const etag = String(json['etag']);
    await this.#send('PUT', '/v1/documents/notes/plan.md', admin, { content: '# Plan\n\nBarley first.\n' }, etag);
    await create('notes/seed.md', '# Seed\n\nBarley and oats.\n');
    await this.#send('POST', '/v1/renames', admin, { location: 'notes/seed.md', name: 'grain.md' });
    await this.#send('POST', '/v1/renames', admin, { location: 'notes/grain.md', name: 'seed.md' });
    await create('fields/harvest.md', '# Harvest\n\nThe harvest of the north field.\n');
    await this.#send('POST', '/v1/moves', admin, { location: 'notes/seed.md', to_folder: 'fields' });
    await create('fields/map.png', Buffer.from([137, 80, 78, 71, 0, 255, 254]).toString('base64'), {
      encoding: 'base64',
      media_type: 'image/png',
    });
    await create('wages/ada.md', 'The wages of Ada.\n');
    await create(deleted, 'The minutes of March.\n');
    const { json: minutes } = await this.#get(`/v1/documents/${deleted}`, admin);
    await this.#send('DELETE', `/v1/documents/${deleted}`, admin, undefined, String(minutes['etag']));
    await this.#send('POST', '/v1/labels', admin, { location: 'notes/plan.md', labels: ['draft', 'autumn'] });
    const comment = { location: 'notes/plan.md', text: 'Why barley first?' };
    await this.#send('POST', '/v1/comments', admin, comment);
    await this.#send('POST', '/v1/claims', admin, { location: 'fields/harvest.md', ttl_seconds: 3600 });
    await create('notes/last.md', 'The last line before the end.\n');
  }

  /** What later releases added, where this one has it. */
  async #writeLater({ admin, readerId }: People, source: string): Promise<Partial<Kept>> {
    const later: { -readonly [Name in 'message' | 'connector' | 'webhook']?: string } = {};
    if (await this.#knows('message')) {
      const text = ['--subject', 'Harvest', '--text', 'The harvest begins.'];
      const { thread_id: thread } = await this.#ask<{ thread_id: string }>(
        'message',
        'send',
        '--to',
        readerId,
        ...text,
      );
      later.message = thread;
    }
    if (await this.#knows('erase')) {
      const gone = { location: 'wages/gone.md', content: 'Nothing of this may stay.\n' };
      const { json } = await this.#send('POST', '/v1/documents', admin, gone);
      const named = (await this.#help('erase')).includes('--document') ? ['--document', String(json['id'])] : [];
      await this.#ask('erase', gone.location, '--yes', 'gone.md', ...named);
    }
    if (await this.#knows('connector')) {
      await mkdir(source);
      await writeFile(join(source, 'mirrored.md'), '# Mirrored\n\nFrom a folder.\n');
      await this.#ask('connector', 'connect', 'mirror', 'folder', `path=${source}`, '--wait');
      later.connector = 'mirror/mirrored.md';
    }
    if (await this.#knows('webhook')) {
      const add = ['webhook', 'add', 'https://192.0.2.1/hook', '--name', 'build', '--location', 'notes'];
      await this.#ask(...add);
      later.webhook = 'build';
    }
    return later;
  }

  async #readHead(): Promise<Kept['answers']['audit']> {
    const { stdout } = await runProgram(['audit', 'export', '--data', this.#data], { program: this.#program });
    const last = stdout.split('\n').findLast((line) => line.startsWith('{"record"')) ?? '';
    const { record } = JSON.parse(last) as { record: Kept['answers']['audit'] };
    return { seq: record.seq, hash: record.hash };
  }

  /** Whether its command line has the command. */
  async #knows(command: string): Promise<boolean> {
    return (await this.#help()).split('\n').some((line) => line.trimStart().startsWith(`${command} `));
  }

  async #help(...command: string[]): Promise<string> {
    return (await runProgram([...command, '--help'], { program: this.#program })).stdout;
  }

  async #ask<Result = unknown>(...words: string[]): Promise<Result> {
    const { code, stdout, stderr } = await runProgram([...words, '--data', this.#data, '--json'], {
      program: this.#program,
    });
    assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Result;
  }

  #get(target: string, key: string): Promise<Answer> {
    return this.#fetch(target, { headers: { Authorization: `Bearer ${key}` } });
  }

  async #send(method: string, target: string, key: string, body?: unknown, etag?: string): Promise<Answer> {
    this.#serial += 1;
    const headers: Record<string, string> = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    if (method === 'POST') headers['Idempotency-Key'] = `key-${this.#serial}`;
    if (etag !== undefined) headers['If-Match'] = etag;
    const answer = await this.#fetch(target, { method, headers, body: JSON.stringify(body) ?? null });
    assert.ok(answer.status < 300, `${method} ${target}: ${JSON.stringify(answer)}`);
    return answer;
  }

  async #fetch(target: string, options: RequestInit): Promise<Answer> {
    const response = await fetch(this.#url + target, options);
    const text = await response.text();
    return { status: response.status, json: text.startsWith('{') ? (JSON.parse(text) as Answer['json']) : {} };
  }
}
