import type { Caller } from '../../domain/caller.js';
import type { Workspace } from '../../workspace/workspace.js';
import { recordEnd } from '../record-end.js';

/** The audit log's action for the end of a fetch, however it ended. */
const action = 'repository.fetched';

/** Counts the bytes of a fetch, and records them at its end. Its own record was written at its beginning. */
export class FetchTally {
  readonly #workspace: Workspace;
  readonly #caller: Caller;
  readonly #head: string | null;
  #bytes = 0;
  #hasEnded = false;

  constructor(workspace: Workspace, caller: Caller, head: string | null) {
    this.#workspace = workspace;
    this.#caller = caller;
    this.#head = head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** May be called twice. @param isComplete whether everything was sent that git had to say */
  end(isComplete: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const detail = { head: this.#head, bytes: this.#bytes };
    recordEnd({ workspace: this.#workspace, caller: this.#caller }, { action, note: { detail }, isComplete });
  }
}
