import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runGit } from '../support/processes/run-git.js';
import { Sqlite } from '../support/store/sqlite.js';

/**
 * Turns a workspace just restored from a clone into one restored by an earlier build: no commit carries the restart of
 * its log. No service may have it open.
 */
export function uncarryRestart(dataFolder: string): void {
  const folder = join(dataFolder, 'acme');
  const repository = join(folder, 'content.git');
  const carrier = runGit(repository, ['rev-parse', 'main']).trim();
  assert.match(runGit(repository, ['log', '-1', '--format=%B', carrier]), /\nOperation: recover\n/);
  const head = runGit(repository, ['rev-parse', 'main^']).trim();
  runGit(repository, ['update-ref', 'refs/heads/main', head]);
  const connection = new Sqlite(join(folder, 'sidecar.sqlite'));
  try {
    connection.prepare("UPDATE meta SET value = ? WHERE name IN ('head', 'checkpointed_head')").run(head);
    connection.exec(`UPDATE meta SET value = value - 1 WHERE name = 'commits';
      DELETE FROM pending_object;
      DELETE FROM audit_checkpoint;
      DELETE FROM audit_text WHERE seq > 2;
      DELETE FROM audit_record WHERE seq > 2`);
  } finally {
    connection.close();
  }
}
