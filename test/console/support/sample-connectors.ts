import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Receiver } from '../../support/webhooks/receiver.js';
import { until } from '../../support/until.js';
import type { ConsolePerson, ConsoleTest } from './open-console.js';

/** Three mirrors of folders of this machine: one that is well, one that waits for an approval, one that has stopped. */
export async function connectSamples(test: ConsoleTest, admin: ConsolePerson, folder: string): Promise<void> {
  const site = join(folder, 'website');
  await mkdir(join(site, 'guides'), { recursive: true });
  for (let index = 0; index < 40; index += 1) await writeFile(join(site, 'guides', `page-${index}.md`), `# ${index}\n`);
  await writeFile(join(site, 'welcome.md'), '# Welcome\n');
  await mkdir(join(folder, 'scans'));
  await writeFile(join(folder, 'scans', 'lease.md'), '# Lease\n');
  await writeFile(join(folder, 'scans', 'bad\u0007name.md'), 'x');
  await test.server.host.service.startSchedules();
  const connect = async (name: string, location: string, path: string): Promise<string> => {
    const { json } = await admin.rest.post('/v1/connectors', { name, location, kind: 'folder', settings: { path } });
    return (json as { readonly id: string }).id;
  };
  const ended = (id: string, state: string): Promise<unknown> =>
    until(`the connector is ${state} after a run`, async () => {
      const { json } = await admin.rest.get(`/v1/connectors/${id}`);
      return json.state === state && typeof json.last_run?.outcome === 'string';
    });
  const website = await connect('Website', 'handbook/website', site);
  const scans = await connect('Scans of the office', 'projects/scans', join(folder, 'scans'));
  const gone = await connect('Old wiki', 'support/wiki', join(folder, 'wiki'));
  await Promise.all([ended(website, 'active'), ended(scans, 'active'), ended(gone, 'stopped')]);
  await rm(join(site, 'guides'), { recursive: true });
  await admin.rest.post(`/v1/connectors/${website}/runs`, undefined);
  await ended(website, 'held');
}

/** Two webhooks: one that delivers, one whose receiver is out of order. */
export async function hookSamples(admin: ConsolePerson, receiver: Receiver): Promise<void> {
  const { url } = receiver;
  await admin.rest.post('/v1/webhooks', { name: 'Chat of the team', url, location: 'handbook' });
  await admin.rest.create('handbook/news.md', '# News');
  await until('a change was told', () => receiver.received.length > 0);
  receiver.answerWith(503, {}, 'out of order until noon');
  await admin.rest.post('/v1/webhooks', {
    name: 'Index of the site',
    url,
    location: 'projects',
    kinds: ['updated', 'created'],
  });
  await admin.rest.create('projects/notes.md', '# Notes');
  await until('a change was not taken', () => receiver.received.length > 1);
}
