import { parseLocation, type Location } from '../../domain/location.js';
import { changeConnector, rotateConnectorSecret } from '../../operations/connectors/change-connector.js';
import { connectSource } from '../../operations/connectors/connect-source.js';
import { disconnectSource, type Disconnected } from '../../operations/connectors/disconnect-source.js';
import type { ShownConnector } from '../../operations/connectors/find-connector.js';
import {
  listConnectorKinds,
  listConnectorRuns,
  listConnectors,
  listSkippedFiles,
  readConnector,
  type ConnectorInput,
  type ListOfConnectorInput,
} from '../../operations/connectors/list-connectors.js';
import { setWebhook, type ConnectorWithWebhook } from '../../operations/connectors/set-webhook.js';
import {
  approveChange,
  pauseConnector,
  resumeConnector,
  syncNow,
} from '../../operations/connectors/steer-connector.js';
import { testConnection, testConnector } from '../../operations/connectors/test-connection.js';
import type { Connection, ConnectionTest, DescribedKind } from '../../workspace/connector-schedule.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { jsonOf, type CheckedRequest } from '../requests/checked-request.js';
import type { RequestOf } from '../requests/described-request.js';
import { jsonPost, route, type Route } from '../route.js';
import {
  toConnectorRecord,
  toDisconnectedRecord,
  toKindRecord,
  toRunRecord,
  toSkippedRecord,
  toConnectionTestRecord,
  toConnectorWebhookRecord,
} from '../../records/connector-record.js';
import { presentPage, readPage } from './page-query.js';
import { readFolder } from './read-location.js';

/** The members of ConnectorCreate and ConnectorTest that make a connection. */
function readConnection(
  request: RequestOf<'connectSource' | 'testConnection'>,
): Connection & { readonly location: Location } {
  const { location, kind, settings, secret = null } = jsonOf(request);
  return { location: parseLocation(location), kind, settings, secret };
}

const toMilliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;

const readId = ({ pathId }: CheckedRequest): ConnectorInput => ({ connectorId: pathId });

const readPageOf = (request: RequestOf<'listConnectorRuns' | 'listSkippedFiles'>): ListOfConnectorInput => ({
  ...readId(request),
  ...readPage(request),
});

const answerConnector = (connector: ShownConnector): Answer => answerJson(200, toConnectorRecord(connector));

/** 201, and where the connector is. */
const answerConnected = (connector: ShownConnector): Answer =>
  answerJson(201, toConnectorRecord(connector), { Location: `/connectors/${connector.id}` });

/** The run itself begins later. */
const answerDue = (connector: ShownConnector): Answer => answerJson(202, toConnectorRecord(connector));

/** There are few kinds, so one page has them all. */
const answerKinds = (kinds: readonly DescribedKind[]): Answer =>
  answerJson(200, { items: kinds.map(toKindRecord), next_cursor: null });

const answerTest = (test: ConnectionTest): Answer => answerJson(200, toConnectionTestRecord(test));

const answerWebhook = (changed: ConnectorWithWebhook, { workspace }: CheckedRequest): Answer =>
  answerJson(200, toConnectorWebhookRecord(changed, workspace.name));

const answerDisconnected = (disconnected: Disconnected): Answer => answerJson(200, toDisconnectedRecord(disconnected));

/** Connectors: sources that are mirrored into folders. */
export const connectorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/connector-kinds',
    operation: listConnectorKinds,
    read: () => ({}),
    present: answerKinds,
  }),
  route({
    ...jsonPost,
    path: '/connector-tests',
    operation: testConnection,
    read: readConnection,
    present: answerTest,
  }),
  route({
    method: 'GET',
    path: '/connectors',
    operation: listConnectors,
    read: (request) => ({ location: readFolder(request), ...readPage(request) }),
    present: presentPage(toConnectorRecord),
  }),
  route({
    ...jsonPost,
    path: '/connectors',
    operation: connectSource,
    read(request) {
      const { name, interval_seconds } = jsonOf(request);
      return { ...readConnection(request), name, interval: toMilliseconds(interval_seconds) };
    },
    present: answerConnected,
  }),
  route({
    method: 'GET',
    path: '/connectors/{id}',
    operation: readConnector,
    read: readId,
    present: answerConnector,
  }),
  route({
    method: 'PATCH',
    path: '/connectors/{id}',
    takes: ['json'],
    operation: changeConnector,
    read(request) {
      const { name, settings, secret, interval_seconds } = jsonOf(request);
      return { ...readId(request), name, settings, secret, interval: toMilliseconds(interval_seconds) };
    },
    present: answerConnector,
  }),
  route({
    method: 'DELETE',
    path: '/connectors/{id}',
    operation: disconnectSource,
    read: (request) => ({ ...readId(request), documents: request.query.documents }),
    present: answerDisconnected,
  }),
  route({
    method: 'POST',
    path: '/connectors/{id}/tests',
    requires: 'Idempotency-Key',
    operation: testConnector,
    read: readId,
    present: answerTest,
  }),
  route({
    method: 'GET',
    path: '/connectors/{id}/runs',
    operation: listConnectorRuns,
    read: readPageOf,
    present: presentPage(toRunRecord),
  }),
  route({
    method: 'POST',
    path: '/connectors/{id}/runs',
    requires: 'Idempotency-Key',
    operation: syncNow,
    read: readId,
    present: answerDue,
  }),
  route({
    method: 'GET',
    path: '/connectors/{id}/skipped',
    operation: listSkippedFiles,
    read: readPageOf,
    present: presentPage(toSkippedRecord),
  }),
  route({
    method: 'PUT',
    path: '/connectors/{id}/pause',
    operation: pauseConnector,
    read: readId,
    present: answerConnector,
  }),
  route({
    method: 'DELETE',
    path: '/connectors/{id}/pause',
    operation: resumeConnector,
    read: readId,
    present: answerConnector,
  }),
  route({
    ...jsonPost,
    path: '/connectors/{id}/approvals',
    operation: approveChange,
    read: (request) => ({ ...readId(request), fingerprint: jsonOf(request).change }),
    present: answerDue,
  }),
  route({
    method: 'PUT',
    path: '/connectors/{id}/secret',
    takes: ['json'],
    operation: rotateConnectorSecret,
    read: (request) => ({ ...readId(request), secret: jsonOf(request).secret }),
    present: answerConnector,
  }),
  route({
    method: 'PUT',
    path: '/connectors/{id}/webhook',
    operation: setWebhook,
    read: (request) => ({ ...readId(request), enabled: true }),
    present: answerWebhook,
  }),
  route({
    method: 'DELETE',
    path: '/connectors/{id}/webhook',
    operation: setWebhook,
    read: (request) => ({ ...readId(request), enabled: false }),
    present: ({ connector }) => answerConnector(connector),
  }),
];
