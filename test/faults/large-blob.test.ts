import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

describe('100 MiB', () => {
  it('go up and down again whole, from a file of their own and from a pack, in flat memory', async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'cartulary-faults-'));
    try {
      const program = fileURLToPath(new URL('./large-blob.js', import.meta.url));
      const child = spawn(process.execPath, [program, dataFolder], { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      child.stdout.on('data', (piece: Buffer) => (said += piece.toString()));
      const code = await new Promise((resolve) => child.on('close', resolve));
      assert.equal(code, 0);
      const { before, highest, isWhole, looseObjects } = JSON.parse(said) as {
        before: number;
        highest: number;
        isWhole: boolean;
        looseObjects: number;
      };
      assert.ok(isWhole, 'other bytes came down than went up');
      assert.equal(looseObjects, 0, 'it was not packed');
      const grown = Math.round((highest - before) / 1024 / 1024);
      assert.ok(grown < 64, `memory grew by ${grown} MiB`);
    } finally {
      await rm(dataFolder, { recursive: true, force: true });
    }
  }).timeout(120_000);
});
