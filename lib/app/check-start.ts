import type { Log } from '../domain/log.js';
import { formatTime } from '../domain/clock.js';
import { findTroubledConnectors } from '../view/find-troubled-connectors.js';
import { checkSurroundings } from '../commands/operator/diagnose.js';
import type { Config } from '../config.js';
import type { Service } from './service.js';

/** Milliseconds by which a record may seem to come from the future. */
const tolerance = 5 * 60_000;
/** Records of a workspace that are looked at, from the last one back. */
const looked = 20;

/**
 * Writes into the log what `cartulary doctor` would find, as far as it is cheap: one line for each problem. Starts
 * anyway: a service that answers is worth more than one that is right about its surroundings.
 */
export async function logChecks(service: Service, config: Omit<Config, 'data'>, log: Log): Promise<void> {
  const { dataFolder, clock } = service;
  if (dataFolder === null) return;
  const findings = await checkSurroundings({ ...config, dataFolder, now: clock.now() });
  for (const { name, message, remedy = '' } of findings.filter(({ ok }) => !ok)) {
    log.warn({ check: name }, `${message}. ${remedy}`);
  }
  for (const workspace of service.opened()) {
    for (const troubled of findTroubledConnectors(workspace.journal.reader)) {
      const { id, state, reason } = troubled;
      log.warn({ workspace: workspace.name, connector: id, state }, `A connector waits for people: ${reason}`);
    }
  }
  const newest = findNewestRecord(service);
  if (newest - clock.now() <= tolerance) return;
  const times = { clock: formatTime(clock.now()), newest_record: formatTime(newest) };
  const consequence = 'Keys last too long, and new records carry earlier times than old ones; their order stays right';
  log.error(times, `The clock is behind the data: set the clock, then start again. ${consequence}`);
}

/** The latest time in the last records of all workspaces; 0 where there is none. */
function findNewestRecord(service: Service): number {
  let newest = 0;
  for (const { journal } of service.opened()) {
    const { seq } = journal.state.chain;
    for (const { at } of journal.reader.audit.after(Math.max(0, seq - looked), looked)) newest = Math.max(newest, at);
  }
  return newest;
}
