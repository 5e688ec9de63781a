import type { ConsolePerson, ConsoleTest } from './open-console.js';

/** The people and documents of the pictures. */
export interface SampleWorkspace {
  readonly admin: ConsolePerson;
  readonly editor: ConsolePerson;
  readonly reader: ConsolePerson;
  /** Someone without grants. */
  readonly stranger: ConsolePerson;
}

const travel = `# Travel

Book trains for trips under six hours. Flights need the approval of the team's lead.

## Before the trip

1. Ask for an advance of **200 EUR** or more, if you need one.
2. Tell the office where you stay.

| Cost | Limit |
| --- | --- |
| Hotel, a night | 140 EUR |
| Meals, a day | 45 EUR |

## After the trip

- [ ] Send the receipts within 14 days.
- [ ] Close the advance.

See also [the rules for guests](guests.md).
`;

const answers = `# Answers for customers

\`\`\`
Dear customer, your order has left our house.
\`\`\`
`;

/** A small company's handbook, written by people and an agent over some days. */
export async function fillSampleWorkspace(test: ConsoleTest): Promise<SampleWorkspace> {
  const { host } = test.server;
  const admin = await test.person('Admin', { '': 'approver' });
  const editor = await test.person('Editor', { handbook: 'editor', projects: 'editor' });
  const reader = await test.person('Reader', { handbook: 'reader' });
  const stranger = await test.person('Newcomer');
  const agentId = await host.principal('Answering agent', 'agent');
  await host.grant('editor', { type: 'principal', id: agentId }, 'support');
  const agent = test.server.as(await host.key(agentId));
  const team = await host.group('Support team', { type: 'principal', id: editor.id });
  const everyone = await host.group('Everyone', { type: 'group', id: team }, { type: 'principal', id: reader.id });
  await host.grant('reader', { type: 'group', id: everyone }, 'support');
  const write = async (who: ConsolePerson['rest'], location: string, content: string): Promise<void> => {
    host.clock.advance(3 * 3_600_000);
    const { etag } = await who.get(`/v1/documents/${location}`);
    if (etag === '') await who.create(location, content);
    else await who.put(`/v1/documents/${location}`, { content, message: 'Limits of this year' }, { 'If-Match': etag });
  };
  await write(admin.rest, 'handbook/policies/travel.md', travel.replace('140', '120'));
  await write(admin.rest, 'handbook/policies/guests.md', '# Guests\n\nGuests sign in at the desk.\n');
  await write(admin.rest, 'handbook/welcome.md', '# Welcome\n\nRead [the travel rules](policies/travel.md) first.\n');
  await write(agent, 'support/answers.md', answers);
  await write(admin.rest, 'handbook/holidays.csv', 'day,name\n2026-01-01,New year\n');
  await write(editor.rest, 'projects/office/plan.md', '# Plan\n\nThe move is in May.\n');
  await write(editor.rest, 'handbook/policies/travel.md', travel);
  await admin.rest.post('/v1/labels', { location: 'handbook/policies/travel.md', labels: ['policy', '2026'] });
  const location = 'handbook/policies/travel.md';
  await host.grant('reader', { type: 'principal', id: agentId }, 'handbook');
  const { json } = await agent.post('/v1/comments', { location, text: 'Customers ask whether breakfast is included.' });
  const { thread_id: thread } = json as { readonly thread_id: string };
  await admin.rest.post('/v1/comments', {
    location,
    thread_id: thread,
    text: 'It is. Mention it in the table, please.',
  });
  await write(editor.rest, 'handbook/old-phone-list.md', '# Phones\n');
  await editor.rest.delete('/v1/documents/handbook/old-phone-list.md');
  const asked = await reader.rest.post('/v1/comments', {
    location: 'handbook/policies/travel.md',
    text: 'Does this hold for night trains too?',
    passage: { quote: 'trains for trips under six hours' },
  });
  await editor.rest.post('/v1/comments', {
    location: 'handbook/policies/travel.md',
    text: 'It does. I will say so.',
    thread_id: asked.json.thread_id,
  });
  await agent.post('/v1/claims', { location: 'support/answers.md', purpose: 'Another greeting', ttl_seconds: 86_400 });
  await erase(test, admin, 'support/former-customer.md');
  return { admin, editor, reader, stranger };
}

/** Erases a document as its approver does in the console. Its erase goes on by itself. */
async function erase(test: ConsoleTest, approver: ConsolePerson, location: string): Promise<void> {
  await approver.rest.create(location, '# A customer of former days\n');
  const { id: document } = (await approver.rest.get(`/v1/documents/${location}`)).json;
  const { name, value } = await test.sessionOf(approver);
  const answer = await fetch(`${test.signIn.url}/console/api/workspaces/${test.workspace}/erasures`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Cookie: `${name}=${value}`,
      'Sec-Fetch-Site': 'same-origin',
      'X-Cartulary-Console': '1',
      'Idempotency-Key': 'sample',
    },
    body: JSON.stringify({ location, document, confirmation: location.split('/').at(-1) }),
  });
  if (!answer.ok) throw new Error(`${location} was not erased: ${await answer.text()}`);
}
