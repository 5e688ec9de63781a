import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { testWebhook } from '../../lib/operations/webhooks/test-webhook.js';
import { findFreePort } from '../support/processes/run-program.js';
import { until } from '../support/until.js';
import { HookedWorld } from './hooked-world.js';

const project = fileURLToPath(new URL('../../..', import.meta.url));

describe('The receiver in the manual', () => {
  it('takes each message once, and no message that is not signed', async () => {
    const port = await findFreePort();
    const world = await HookedWorld.open({ hosts: [`127.0.0.1:${port}`] });
    const url = `http://127.0.0.1:${port}/in`;
    const { webhook, secret } = await world.hook({ url });
    const child = spawn(process.execPath, ['--input-type=module', '--eval', await readReceiver(port)], {
      cwd: project,
      env: { ...process.env, WEBHOOK_SECRET: secret ?? '' },
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece));
    try {
      const isDelivered = async () => (await world.do(testWebhook, { webhookId: webhook.id })).outcome === 'delivered';
      await until(() => `it listens: ${said}`, isDelivered);
      await world.ada.create('team/a.md');
      await until(
        () => `it has the message: ${said}`,
        () => said.includes('document.created team/a.md'),
      );
      const headers = { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' };
      const forged = await fetch(url, { method: 'POST', headers, body: '{"type":"document.created","data":{}}' });
      assert.equal(forged.status, 401);
      assert.equal(said.match(/document\.created/g)?.length, 1);
    } finally {
      child.kill();
      await once(child, 'close');
      await world.close();
    }
  });
});

/** The receiver that the manual shows, with another port. */
async function readReceiver(port: number): Promise<string> {
  const page = await readFile(`${project}/lib/docs/webhooks.md`, 'utf8');
  const code = /```js\n(?<code>.*?)```/s.exec(page)?.groups?.['code'] ?? '';
  assert.ok(code.includes('listen(8000)'));
  return code.replace('listen(8000)', `listen(${port}, '127.0.0.1')`);
}
