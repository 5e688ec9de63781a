import { actionKinds, type ActionKind } from './actions.js';
import type { Author } from '../domain/principal.js';
import type { ExportedRecord } from './exported-line.js';

/** The release of the Open Cybersecurity Schema Framework whose words are used. */
export const ocsfVersion = '1.2.0';

const applicationActivity = 6;
const apiActivity = 6003;
/** `activity_id` and its name, by what an action does. */
const activities: Readonly<Record<ActionKind, readonly [id: number, name: string]>> = {
  create: [1, 'Create'],
  read: [2, 'Read'],
  update: [3, 'Update'],
  delete: [4, 'Delete'],
  other: [99, 'Other'],
};

/** Of principals in the words of OCSF: a person is a user, a program is a system. */
const userTypes: Readonly<Record<Author['kind'], number>> = { person: 1, operator: 2, agent: 3, connector: 3 };

/**
 * A record as an event of the class API Activity (6003), for programs that gather the events of many systems. Clients'
 * addresses are in no record: the source is the interface that was asked.
 * @param findPrincipal names who did it; undefined for a principal that is not known
 * @param release of this program
 */
export function toOcsf(
  { record, text }: ExportedRecord,
  { workspace, release }: { readonly workspace: string; readonly release: string },
  findPrincipal: (id: string) => Author | undefined,
): object {
  const { action, principal, credential, code, seq, hash, prev_hash } = record;
  const [activity, activityName] = activities[actionKinds.get(action) ?? 'other'];
  const author = principal === null ? undefined : findPrincipal(principal);
  const isDone = record.outcome === 'done';
  const detail: unknown = text?.detail === undefined || text.detail === null ? undefined : JSON.parse(text.detail);
  return {
    activity_id: activity,
    activity_name: activityName,
    category_uid: applicationActivity,
    category_name: 'Application Activity',
    class_uid: apiActivity,
    class_name: 'API Activity',
    type_uid: apiActivity * 100 + activity,
    type_name: `API Activity: ${activityName}`,
    time: Date.parse(record.at),
    severity_id: isDone ? 1 : 2,
    severity: isDone ? 'Informational' : 'Low',
    status_id: isDone ? 1 : 2,
    status: isDone ? 'Success' : 'Failure',
    ...(code === null ? {} : { status_code: code }),
    metadata: {
      version: ocsfVersion,
      product: { name: 'Cartulary', vendor_name: 'Cartulary', version: release },
      log_name: 'audit',
      tenant_uid: workspace,
      sequence: seq,
      uid: hash,
      original_time: record.at,
      ...(record.request_id === null ? {} : { correlation_uid: record.request_id }),
    },
    actor: {
      user: {
        ...(principal === null ? { name: 'unauthenticated' } : { uid: principal }),
        ...(author === undefined ? {} : { name: author.displayName }),
        type_id: author === undefined ? 0 : userTypes[author.kind],
        ...(credential === null ? {} : { credential_uid: credential }),
      },
    },
    api: {
      operation: action,
      service: { name: 'Cartulary' },
      ...(record.request_id === null ? {} : { request: { uid: record.request_id } }),
      ...(code === null ? {} : { response: { error: code } }),
    },
    src_endpoint: { svc_name: record.interface },
    ...resourcesOf(record, text?.target ?? null),
    unmapped: { prev_hash, ...(detail === undefined ? {} : { detail }) },
  };
}

function resourcesOf({ target, version }: ExportedRecord['record'], text: string | null): object {
  if (target === null && version === null) return {};
  // Without its text a target is known by its commitment alone.
  // The root of the workspace has no name of its own.
  const resource = text === null ? { uid: target ?? version } : { name: text === '' ? '/' : text };
  return { resources: [{ ...resource, ...(version === null ? {} : { version }) }] };
}
