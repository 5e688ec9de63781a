import type { Clock, Randomness } from '../domain/clock.js';
import type { ServiceJournal } from '../journal/service-journal.js';
import { connectorKeyOf, type ServiceFile } from '../sidecar/service-file.js';
import type { WorkspaceOrigin } from './workspace.js';

interface Origin {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly release?: string;
  readonly journal: ServiceJournal;
}

/** The service file's data about a workspace, read each time. */
export function describeOrigin(
  name: string,
  file: ServiceFile,
  { clock, randomness, release, journal }: Origin,
): WorkspaceOrigin {
  const { signIns, sessions } = journal.people;
  return {
    release: release ?? 'unknown',
    journal,
    readServicePart: () => file.readPart(name) ?? { workspace: name, createdAt: clock.now(), keys: [] },
    hasPassword: (principalId) => signIns.hasPassword(name, principalId),
    countSignIns: (principalId) => signIns.count(name, principalId),
    isSignedIn: (sessionId) => sessions.isInForce(sessionId),
    findConnectorKey() {
      const purpose = connectorKeyOf(name);
      return file.findKey(purpose) ?? file.addKey(purpose, randomness.bytes(32), clock.now());
    },
  };
}
