import assert from 'node:assert/strict';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sendCommand, type CommandAnswer } from '../../../lib/commands/carrier/send-command.js';
import { runProgram } from '../../support/processes/run-program.js';
import type { Doomed } from './ledger.js';
import { Person, requireDone, type Equipment, type Place } from './person.js';

/** Milliseconds in which an erase has to become final, while its service runs. */
const mostWaited = 120_000;

/** Asks the service by its socket. @returns undefined when it is gone */
async function command(
  data: string,
  name: string,
  fields: Readonly<Record<string, unknown>>,
  onProgress: (progress: unknown) => void = () => undefined,
): Promise<CommandAnswer | undefined> {
  const request = { command: name, workspace: 'acme', fields };
  const answer = await sendCommand(data, request, (progress) => Promise.resolve(onProgress(progress)));
  const isBrokenOff = answer !== undefined && 'error' in answer && answer.error.message.includes('stopped answering');
  return isBrokenOff ? undefined : answer;
}

/** Erases what others give up, or else documents of its own, without a pause. */
export class Eraser extends Person {
  readonly #data: string;
  #open: Doomed | undefined;

  constructor(name: string, data: string, equipment: Equipment) {
    super(name, equipment);
    this.#data = data;
  }

  protected async step(place: Place): Promise<boolean> {
    this.#open ??= this.ledger.take();
    if (this.#open === undefined && !(await this.#makeOwn(place))) return false;
    return this.#erase();
  }

  #makeOwn(place: Place): Promise<boolean> {
    const path = `victims/${this.name.replaceAll(' ', '-')}/${this.serial}.md`;
    const { contents } = this.ledger;
    const content = this.random() < 0.7 ? contents.own(this.random) : contents.small(this.random);
    const body = JSON.stringify({ location: path, content: content.bytes.toString() });
    return this.write(place, { method: 'POST', path: '/v1/documents', body }, (answer) => {
      requireDone(this.name, `create ${path}`, answer);
      contents.doom(content.sha256);
      this.#open = { path, id: String(answer.body['id']), sha256: [content.sha256] };
      this.ledger.note(this.name, `made ${path} (${this.#open.id}), ${content.name}`);
    });
  }

  /** @returns whether the service is still there */
  async #erase(isAgain = false): Promise<boolean> {
    const doomed = this.#open;
    if (doomed === undefined) return true;
    const { path, id, sha256 } = doomed;
    const asked = this.ledger.erases.get(id) ?? { ...doomed, isFinal: false };
    this.ledger.erases.set(id, asked);
    for (const each of sha256) this.ledger.contents.doom(each);
    this.ledger.note(this.name, `asks to erase ${path} (${id})`);
    let last = 'nothing';
    const fields = { location: path, confirmation: path.split('/').at(-1), document: id };
    const told = (progress: unknown): void => {
      last = String((progress as { step?: string }).step);
      this.ledger.note(this.name, `erase of ${path}: ${last}`);
    };
    const answer = await Promise.race([
      command(this.#data, 'erase', fields, told),
      delay(mostWaited, 'late' as const, { ref: false }),
    ]);
    assert.notEqual(answer, 'late', `${this.name}: ${path} is not erased after ${mostWaited} ms; last step: ${last}`);
    if (answer === undefined || answer === 'late') {
      this.ledger.note(this.name, `the erase of ${path} was not answered`);
      return false;
    }
    if ('error' in answer) {
      // It was accepted before the kill.
      const isGone = isAgain && answer.error.code === 'NOT_FOUND';
      assert.ok(isGone, `${this.name}: erase of ${path} (${id}) after "${last}": ${JSON.stringify(answer.error)}`);
    } else asked.isFinal = true;
    this.#open = undefined;
    this.tally.erases += 1;
    this.ledger.note(this.name, `${path} (${id}) is erased`);
    return true;
  }

  override async settle(place: Place): Promise<void> {
    await super.settle(place);
    assert.ok(await this.#erase(true), `${this.name}: the service is gone`);
    for (const end = performance.now() + mostWaited; ;) {
      const answer = await command(this.#data, 'erasures', {});
      assert.ok(answer !== undefined && 'result' in answer, `${this.name}: ${JSON.stringify(answer)}`);
      const { items } = answer.result as { items: { id: string; final_at: string | null; hindrance: string | null }[] };
      const open = items.filter(({ final_at }) => final_at === null);
      if (open.length === 0) return;
      assert.ok(performance.now() < end, `these erases do not become final: ${JSON.stringify(open)}`);
      await delay(50);
    }
  }
}

const passphrase = 'a passphrase of the crowd';

/** Makes backups, which erases wait for, and which wait for erases. */
export class BackupKeeper extends Person {
  readonly #data: string;
  readonly #folder: string;
  #begun = 0;
  #last: string | undefined;
  #checked: string | undefined;

  constructor(name: string, data: string, folder: string, equipment: Equipment) {
    super(name, equipment);
    this.#data = data;
    this.#folder = folder;
  }

  protected async step(): Promise<boolean> {
    await delay(500 + this.random() * 1500);
    return this.#make();
  }

  /** @returns whether the service is still there */
  async #make(): Promise<boolean> {
    this.#begun += 1;
    const number = this.#begun;
    const folder = join(this.#folder, String(number));
    this.ledger.note(this.name, `begins backup ${number}`);
    const answer = await command(this.#data, 'backup', { folder, passphrase });
    if (answer === undefined) return false;
    assert.ok('result' in answer, `${this.name}: backup ${number}: ${JSON.stringify(answer)}`);
    this.ledger.note(this.name, `backup ${number} is made`);
    if (this.#last !== undefined) await rm(this.#last, { recursive: true, force: true });
    this.#last = folder;
    this.tally.backups += 1;
    return true;
  }

  /** The last whole backup restores. One begins while interrupted erases go on, since a busy round may have none. */
  override async settle(): Promise<void> {
    this.serial += 1;
    const isDue = this.#last === undefined || this.random() < 0.3;
    if (isDue) assert.ok(await this.#make(), `${this.name}: the service is gone`);
    if (this.#last === undefined || this.#last === this.#checked) return;
    this.#checked = this.#last;
    const environment = { CARTULARY_PASSPHRASE: passphrase };
    const { code, stdout, stderr } = await runProgram(['backup', 'check', this.#last], { environment });
    assert.equal(code, 0, `${this.name}: ${stdout}${stderr}`);
  }
}
