import { parseLocation } from '../../../lib/domain/location.js';
import { updateDocument } from '../../../lib/operations/documents/update-document.js';
import { Client } from '../../support/store/client.js';
import { addConnector } from '../../support/store/place.js';
import type { ConsolePerson, ConsoleTest } from './open-console.js';

/** A place with a history by people, an agent and a connector. */
export interface HistoryWorld {
  readonly admin: ConsolePerson;
  readonly editor: ConsolePerson;
  readonly reader: ConsolePerson;
  readonly stranger: ConsolePerson;
  /** Writes a version as a principal, an hour after the one before. */
  write(principalId: string, location: string, text: string, message?: string): Promise<string>;
}

export const hostileNote = '<img src=x onerror=alert(1)> \u202egnp.exe';
export const hostileName = '<script>alert(2)</script>';
const paragraph = (index: number): string => `Rule ${index} for trips.`;
export const firstLines = [
  '# Travel',
  '',
  'Staff travel by train.',
  '',
  ...Array.from({ length: 30 }, (_, i) => paragraph(i)),
];

/**
 * `handbook/travel.md` and `handbook/slip.md`, each with five versions: by a person, an agent, a connector, a hostile name,
 * and an editor's slip.
 */
export async function fillHistory(test: ConsoleTest): Promise<HistoryWorld> {
  const { host } = test.server;
  const admin = await test.person('Admin', { '': 'approver' });
  const editor = await test.person('Editor', { handbook: 'editor' });
  const reader = await test.person('Reader', { handbook: 'reader' });
  const stranger = await test.person('Newcomer');
  const agent = await host.principal('Travel desk', 'agent');
  const eve = await host.principal(hostileName);
  for (const id of [agent, eve]) await host.grant('editor', { type: 'principal', id }, 'handbook');
  const connector = await addConnector(host, 'Drive');
  const write = async (principalId: string, location: string, text: string, message?: string): Promise<string> => {
    host.clock.advance(3_600_000);
    const document = await new Client(host.workspace, principalId).perform(updateDocument, {
      location: parseLocation(location),
      precondition: { any: true },
      content: { bytes: Buffer.from(text) },
      message: message ?? null,
    });
    return document.current.id;
  };
  for (const place of ['handbook/travel.md', 'handbook/slip.md']) {
    const lines = [...firstLines];
    const save = (id: string, note?: string): Promise<string> => write(id, place, `${lines.join('\n')}\n`, note);
    await admin.rest.create(place, `${lines.join('\n')}\n`);
    lines[2] = 'Staff travel by train, and by plane above 800 km.';
    await save(agent, 'Planes, as agreed');
    lines[20] = 'Rule 16 for trips came from the drive.';
    await save(connector);
    lines.push('A line by a stranger.');
    await save(eve, hostileNote);
    lines[0] = '# Traveling';
    lines[5] = 'Rule 1 for trips is wrong.';
    await save(editor.id, 'A slip');
  }
  return { admin, editor, reader, stranger, write };
}
