import type { ConnectorRun, RunCounts, RunTrigger } from '../../domain/connector.js';
import { Table } from '../statement.js';

/** Milliseconds for which a run that deleted documents is stored in any case. */
const keptDeletions = 24 * 60 * 60_000;
/** Runs of each connector that are stored. */
export const keptRuns = 200;

interface Row extends Omit<ConnectorRun, 'counts'>, RunCounts {}

const columns = `number, cause AS "trigger", started_at AS startedAt, ended_at AS endedAt, outcome, fault, message,
  listed, created, updated, moved, deleted, skipped, bytes, version_id AS versionId, source_version AS sourceVersion`;

function toRun(row: Row): ConnectorRun {
  const { listed, created, updated, moved, deleted, skipped, bytes, ...run } = row;
  return { ...run, counts: { listed, created, updated, moved, deleted, skipped, bytes } };
}

/** The last runs of connectors. */
export class ConnectorRunTable extends Table {
  readonly #insert = this.valueStatement<[string, string, number, string], number>(
    `INSERT INTO connector_run (connector, number, cause, started_at)
     SELECT ?, coalesce(max(number), 0) + 1, ?, ? FROM connector_run WHERE connector = ? RETURNING number`,
  );
  readonly #forget = this.statement(
    `DELETE FROM connector_run WHERE connector = ? AND number <= ? AND NOT (deleted > 0 AND ended_at > ?)`,
  );
  readonly #deletedSince = this.valueStatement<[string, number, string], number>(
    `SELECT coalesce(sum(deleted), 0) AS deleted FROM connector_run
     WHERE connector = ? AND ended_at > ? AND number > (SELECT deleted_until FROM connector WHERE id = ?)`,
  );
  readonly #forgetAll = this.statement('DELETE FROM connector_run WHERE connector = ?');
  readonly #progress = this.statement(
    'UPDATE connector_run SET listed = ?, created = ?, bytes = ? WHERE connector = ? AND number = ?',
  );
  readonly #end = this.statement(
    `UPDATE connector_run SET ended_at = ?, outcome = ?, fault = ?, message = ?, listed = ?, created = ?, updated = ?,
       moved = ?, deleted = ?, skipped = ?, bytes = ?, version_id = ?, source_version = ?
     WHERE connector = ? AND number = ?`,
  );
  readonly #list = this.statement<[string, number, number], Row>(
    `SELECT ${columns} FROM connector_run WHERE connector = ? AND number < ? ORDER BY number DESC LIMIT ?`,
  );
  readonly #interrupt = this.statement<[number], { readonly connector: string }>(
    `UPDATE connector_run SET ended_at = ?, outcome = 'interrupted' WHERE outcome IS NULL RETURNING connector`,
  );

  readonly #interruptOf = this.statement(
    `UPDATE connector_run SET ended_at = ?, outcome = 'interrupted' WHERE connector = ? AND outcome IS NULL`,
  );

  /** Forgets what a connector did, when it is over. */
  forget(connector: string): void {
    this.#forgetAll.run(connector);
  }

  /** Begins a run, and forgets the oldest. One before it that nobody could end is over. @returns its number */
  begin(connector: string, trigger: RunTrigger, at: number): number {
    this.#interruptOf.run(at, connector);
    const number = this.#insert.get(connector, trigger, at, connector);
    if (number === undefined) throw new Error('The run was not stored.');
    this.#forget.run(connector, number - keptRuns, at - keptDeletions);
    return number;
  }

  /** How far a run is. */
  progress(
    connector: string,
    number: number,
    { listed, created, bytes }: Pick<RunCounts, 'listed' | 'created' | 'bytes'>,
  ): void {
    this.#progress.run(listed, created, bytes, connector, number);
  }

  end(connector: string, run: Omit<ConnectorRun, 'trigger' | 'startedAt'>): void {
    const { listed, created, updated, moved, deleted, skipped, bytes } = run.counts;
    this.#end.run(
      run.endedAt,
      run.outcome,
      run.fault,
      run.message,
      listed,
      created,
      updated,
      moved,
      deleted,
      skipped,
      bytes,
      run.versionId,
      run.sourceVersion,
      connector,
      run.number,
    );
  }

  /** Documents that its runs deleted since then, without those before the last approval. */
  deletedSince(connector: string, time: number): number {
    return this.#deletedSince.get(connector, time, connector) ?? 0;
  }

  /** The newest first. @param before a run's number; Number.MAX_SAFE_INTEGER for all */
  list(connector: string, before: number, limit: number): ConnectorRun[] {
    return this.#list.all(connector, before, limit).map(toRun);
  }

  /** Marks the runs that an ended process left. @returns the ids of their connectors */
  interrupt(at: number): string[] {
    return this.#interrupt.all(at).map(({ connector }) => connector);
  }
}
