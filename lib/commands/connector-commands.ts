import { connectorKinds, type Connector, type ConnectorKind, type ConnectorRun } from '../domain/connector.js';
import { rootLocation } from '../domain/location.js';
import type { Page } from '../domain/page.js';
import { notFound } from '../domain/refusal.js';
import {
  toConnectorRecord,
  toDisconnectedRecord,
  toKindRecord,
  toRunRecord,
  toSkippedRecord,
  toConnectionTestRecord,
  toConnectorWebhookRecord,
} from '../records/connector-record.js';
import { changeConnector, rotateConnectorSecret } from '../operations/connectors/change-connector.js';
import { connectSource } from '../operations/connectors/connect-source.js';
import { disconnectSource } from '../operations/connectors/disconnect-source.js';
import type { ShownConnector } from '../operations/connectors/find-connector.js';
import {
  listConnectorKinds,
  listConnectorRuns,
  listConnectors,
  listSkippedFiles,
  readConnector,
} from '../operations/connectors/list-connectors.js';
import { setWebhook } from '../operations/connectors/set-webhook.js';
import { approveChange, pauseConnector, resumeConnector, syncNow } from '../operations/connectors/steer-connector.js';
import { testConnection, testConnector } from '../operations/connectors/test-connection.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import { badField, parseDuration, type Fields } from './fields.js';
import { findNewestRun, followRun, requireServer } from './follow-run.js';
import { readSettings } from './read-settings.js';
import { listPages, readPages, type AskedPage } from './read-pages.js';

const noConnector = 'There is no such connector. `cartulary connector list` shows those there are.';
const idOfPrincipal = /^prn_[0-9a-z]+$/;

const pagesOf =
  ({ perform }: WorkspaceContext, location = rootLocation) =>
  (page: AskedPage): Promise<Page<ShownConnector>> =>
    perform(listConnectors, { location, ...page });

/** A connector by its id, its name, or the folder of its mirror. @throws Refusal NOT_FOUND; INVALID_REQUEST `bad_field` */
async function readId(context: WorkspaceContext, fields: Fields): Promise<string> {
  const text = fields.text('connector');
  if (idOfPrincipal.test(text)) return text;
  const place = text.replace(/^\/|\/$/g, '');
  const found = (await readPages(pagesOf(context))).filter(({ name, location }) => name === text || location === place);
  if (found.length > 1) throw badField('connector', `names several: ${found.map(({ id }) => id).join(', ')}`);
  if (found[0] === undefined) throw notFound();
  return found[0].id;
}

function readInterval(fields: Fields): number | undefined {
  const text = fields.optionalText('every');
  if (text === undefined) return undefined;
  const interval = parseDuration(text);
  if (interval === undefined) throw badField('every', 'must be a duration such as 30m or 12h');
  return interval;
}

/** Settings as words, read by the schema of the kind. */
async function readSettingsOf({ perform }: WorkspaceContext, fields: Fields, kind: ConnectorKind) {
  const kinds = await perform(listConnectorKinds, {});
  return readSettings(fields.texts('settings'), kinds.find((each) => each.kind === kind)?.settingsSchema);
}

/** The source's default name: the folder's name. */
const nameFor = (location: string): string => location.slice(location.lastIndexOf('/') + 1);

/** Performs what makes a run due, and with `wait` follows that run. */
async function runAndFollow(
  context: WorkspaceContext,
  fields: Fields,
  before: (() => number) | undefined,
  start: () => Promise<ShownConnector>,
): Promise<unknown> {
  const isWaiting = fields.flag('wait');
  if (isWaiting) requireServer(context, 'wait');
  const after = before?.() ?? 0;
  const started = await start();
  if (!isWaiting) return { ...toConnectorRecord(started), server_runs: context.server !== null };
  const run: ConnectorRun = await followRun(context, started.id, after);
  const connector = await context.perform(readConnector, { connectorId: started.id });
  return { ...toConnectorRecord(connector), last_run: toRunRecord(run), server_runs: true };
}

const shown = (connector: ShownConnector): object => toConnectorRecord(connector);

export const connectorCommands: Readonly<Record<string, Command>> = {
  'connector.kinds': inWorkspace(async ({ perform }) => ({
    items: (await perform(listConnectorKinds, {})).map(toKindRecord),
  })),
  'connector.list': inWorkspace((context, fields) =>
    listPages(pagesOf(context, fields.folderOrRoot('location')), toConnectorRecord),
  ),
  'connector.show': inWorkspace(
    async (context, fields) =>
      shown(await context.perform(readConnector, { connectorId: await readId(context, fields) })),
    noConnector,
  ),
  'connector.connect': inWorkspace(async (context, fields) => {
    const kind = fields.choice('kind', connectorKinds);
    const location = fields.location('location');
    const input = {
      name: fields.optionalText('name') ?? nameFor(location),
      location,
      kind,
      settings: await readSettingsOf(context, fields, kind),
      secret: fields.optionalText('secret') ?? null,
      interval: readInterval(fields),
    };
    return runAndFollow(context, fields, undefined, () => context.perform(connectSource, input));
  }),
  'connector.test': inWorkspace(async (context, fields) => {
    const text = fields.text('connector');
    const kind = connectorKinds.find((each) => each === text);
    if (kind === undefined) {
      return toConnectionTestRecord(
        await context.perform(testConnector, { connectorId: await readId(context, fields) }),
      );
    }
    const settings = await readSettingsOf(context, fields, kind);
    const secret = fields.optionalText('secret') ?? null;
    return toConnectionTestRecord(
      await context.perform(testConnection, { location: rootLocation, kind, settings, secret }),
    );
  }, noConnector),
  'connector.change': inWorkspace(async (context, fields) => {
    const connectorId = await readId(context, fields);
    const { kind } = await context.perform(readConnector, { connectorId });
    const isChanged = fields.texts('settings').length > 0;
    const settings: Connector['settings'] | undefined = isChanged
      ? await readSettingsOf(context, fields, kind)
      : undefined;
    const secret = fields.flag('no_secret') ? null : fields.optionalText('secret');
    const name = fields.optionalText('name');
    return shown(
      await context.perform(changeConnector, { connectorId, name, settings, secret, interval: readInterval(fields) }),
    );
  }, noConnector),
  'connector.sync': inWorkspace(async (context, fields) => {
    const connectorId = await readId(context, fields);
    const before = (): number => findNewestRun(context, connectorId);
    return runAndFollow(context, fields, before, () => context.perform(syncNow, { connectorId }));
  }, noConnector),
  'connector.pause': inWorkspace(
    async (context, fields) =>
      shown(await context.perform(pauseConnector, { connectorId: await readId(context, fields) })),
    noConnector,
  ),
  'connector.resume': inWorkspace(async (context, fields) => {
    const connectorId = await readId(context, fields);
    const before = (): number => findNewestRun(context, connectorId);
    return runAndFollow(context, fields, before, () => context.perform(resumeConnector, { connectorId }));
  }, noConnector),
  'connector.approve': inWorkspace(async (context, fields) => {
    const connectorId = await readId(context, fields);
    const fingerprint = fields.text('change');
    const before = (): number => findNewestRun(context, connectorId);
    return runAndFollow(context, fields, before, () => context.perform(approveChange, { connectorId, fingerprint }));
  }, noConnector),
  'connector.disconnect': inWorkspace(async (context, fields) => {
    const documents = fields.choice('documents', ['keep', 'delete']);
    const connectorId = await readId(context, fields);
    return toDisconnectedRecord(await context.perform(disconnectSource, { connectorId, documents }));
  }, noConnector),
  'connector.runs': inWorkspace(async (context, fields) => {
    const connectorId = await readId(context, fields);
    return listPages((page) => context.perform(listConnectorRuns, { connectorId, ...page }), toRunRecord);
  }, noConnector),
  'connector.skipped': inWorkspace(async (context, fields) => {
    const connectorId = await readId(context, fields);
    return listPages((page) => context.perform(listSkippedFiles, { connectorId, ...page }), toSkippedRecord);
  }, noConnector),
  'connector.secret': inWorkspace(async (context, fields) => {
    const secret = fields.flag('no_secret') ? null : fields.text('secret');
    return shown(await context.perform(rotateConnectorSecret, { connectorId: await readId(context, fields), secret }));
  }, noConnector),
  'connector.webhook': inWorkspace(async (context, fields) => {
    const connectorId = await readId(context, fields);
    const changed = await context.perform(setWebhook, { connectorId, enabled: !fields.flag('off') });
    const { path, ...webhook } = toConnectorWebhookRecord(changed, context.workspace.name);
    return fields.flag('off') ? shown(changed.connector) : { ...webhook, url: `${context.address}${path}` };
  }, noConnector),
};
