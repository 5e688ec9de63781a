import type { ConnectorState } from '../domain/connector.js';
import type { Location } from '../domain/location.js';
import type { Tables } from '../sidecar/tables.js';

/** A connector whose mirror may stay out of date until a person acts. */
export interface TroubledConnector {
  readonly id: string;
  readonly location: Location;
  readonly state: ConnectorState;
  /** In words, with the remedy. No secret, and no path of a document. */
  readonly reason: string;
}

/** More than a workspace may have. */
const most = 1000;
/** Failures in a row after which they are no passing trouble. */
const manyFailures = 3;

/** Runs in a row that leave files unread, after which it is no passing trouble. */
const manyPartial = 3;

/** The connectors that wait for people: held, stopped or paused ones, and those that keep failing, even in part. */
export function findTroubledConnectors({ connectors, connectorRuns }: Pick<Tables, 'connectors' | 'connectorRuns'>) {
  return connectors.list('', most).flatMap(({ id, location, state, stateReason, failures }): TroubledConnector[] => {
    if (state === 'active' && failures < manyFailures && !isOftenPartial(connectorRuns, id)) return [];
    if (state === 'paused')
      return [{ id, location, state, reason: 'Somebody paused it. Resume it, or disconnect it.' }];
    const last = connectorRuns.list(id, Number.MAX_SAFE_INTEGER, 2).find(({ outcome }) => outcome !== null);
    return [{ id, location, state, reason: stateReason ?? last?.message ?? 'See its runs.' }];
  });
}

function isOftenPartial(connectorRuns: Tables['connectorRuns'], id: string): boolean {
  // The first may be under way.
  const runs = connectorRuns.list(id, Number.MAX_SAFE_INTEGER, manyPartial + 1).filter((run) => run.outcome !== null);
  const last = runs.slice(0, manyPartial);
  return last.length === manyPartial && last.every(({ outcome }) => outcome === 'partial');
}

/** `The mirror handbook/website is stopped: The source refuses the secret. …` */
export function describeTroubled({ location, state, reason }: TroubledConnector): string {
  return `The mirror ${location} ${state === 'active' ? 'is not up to date' : `is ${state}`}: ${reason}`;
}
