import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeError } from '../domain/describe-error.js';
import { inspectServiceFile } from '../sidecar/service-file.js';
import { explainClosedFolder, explainUnreadable } from '../disk/explain-obstacle.js';
import { findUnreadable } from '../disk/obstacle.js';
import { findWorkspaceFolders } from './find-workspace-folders.js';
import { partOf, remedyFor } from './remedy.js';
import { serviceName } from '../journal/workspace-paths.js';

/** A problem of the service's own file. */
export interface ServiceProblem {
  /** `access` where this account may not read it, and `room` where the check has no room: it may be sound then. */
  readonly part: 'service' | 'access' | 'room';
  /** A sentence. */
  readonly message: string;
  readonly remedy: string;
}

export interface ServiceVerification {
  /** Whether the whole file can be read. */
  readonly isReadable: boolean;
  readonly problems: readonly ServiceProblem[];
  /** Workspaces that have files in the data folder, listed or not. */
  readonly workspaces: readonly string[];
}

const fromCopy =
  'Put a copy of service.sqlite back, or bring each workspace back from its backup with `cartulary restore`, into ' +
  'another data folder.';

/**
 * Checks the service's own file: SQLite's integrity check, and its list of workspaces against the folders beside it.
 * Changes nothing, also beside a running server.
 */
export function verifyService(dataFolder: string): ServiceVerification {
  const problems: ServiceProblem[] = [];
  const report = (message: string, remedy: string): void => void problems.push({ part: 'service', message, remedy });
  const file = join(dataFolder, serviceName);
  const closed = explainClosedFolder(dataFolder, 'verify');
  if (closed !== undefined) return { isReadable: false, problems: [{ part: 'access', ...closed }], workspaces: [] };
  const workspaces = findWorkspaceFolders(dataFolder);
  const hidden = [file, `${file}-wal`].map(findUnreadable).find((path) => path !== undefined);
  if (hidden !== undefined) {
    return { isReadable: false, problems: [{ part: 'access', ...explainUnreadable(hidden, 'verify') }], workspaces };
  }
  // A data folder never used.
  if (workspaces.length === 0 && !existsSync(file)) return { isReadable: true, problems, workspaces };
  let isReadable = false;
  try {
    const found = inspectServiceFile(file);
    isReadable = found.problems.length === 0;
    for (const line of found.problems) report(`${serviceName}: ${line}`, fromCopy);
    const listed = new Set(found.workspaces.map(({ name }) => name));
    for (const { name, hasAuditKey } of found.workspaces) {
      if (!workspaces.includes(name)) {
        report(
          `The workspace "${name}" is listed, and has no files.`,
          'Put its folder back, or bring it back from a backup with `cartulary restore`. If it is to go, `cartulary ' +
            `workspace remove ${name}\``,
        );
      } else if (!hasAuditKey) {
        report(`The workspace "${name}" has lost the key that signs its audit log.`, fromCopy);
      }
    }
    for (const name of workspaces.filter((each) => !listed.has(each))) {
      report(
        `The folder "${name}" holds a workspace that is not listed.`,
        `It is not served. Put a copy of service.sqlite back that lists it, or bring it back from its backup; its ` +
          `content comes back from ${join(name, 'content.git')} with \`cartulary restore --clone\`.`,
      );
    }
  } catch (error) {
    const message = `${serviceName} cannot be read: ${describeError(error)}`;
    const part = partOf(error, 'service');
    problems.push({ part, message, remedy: part === 'service' ? fromCopy : remedyFor(part) });
  }
  return { isReadable, problems, workspaces };
}
