import { spawnSync } from 'node:child_process';
import { webdavKind } from '../../../lib/connectors/webdav/webdav-kind.js';
import { skipBecause } from '../../support/skip.js';
import { describeKind } from '../suite.js';
import { serveWithRclone } from './serve-with-rclone.js';

describe("rclone's WebDAV server", () => {
  before(function () {
    if (spawnSync('rclone', ['version']).error !== undefined) skipBecause(this, 'rclone is not installed');
  });

  describeKind('webdav', serveWithRclone, {
    kind: webdavKind,
    probes: false,
    keepsIds: false,
    keepsVersions: false,
    wrongSecrets: ['wrong', null],
    goneAs: ['network'],
  });
});
