import { formatTime } from '../domain/clock.js';
import { parseFolderLocation } from '../domain/location.js';
import type { ListedMessage, Message } from '../domain/message.js';
import { listMessages, readMessageThread } from '../operations/messages/list-messages.js';
import { sendMessage } from '../operations/messages/send-message.js';
import { inWorkspace, type Command } from './command.js';
import type { Presented } from './present.js';
import { readSubjectIds } from './read-subject.js';

const pageSize = 200;
const noThread = 'The operator has neither sent nor got anything in such a thread.';
const noRecipient = 'There is no such person, agent, group, document or thread, or they are disabled.';

function presentMessage(message: ListedMessage | Message): Presented {
  const { id, threadId, from, subject, sentAt } = message;
  return {
    id,
    thread: threadId,
    at: formatTime(sentAt),
    from: from.displayName,
    subject,
    text: 'body' in message ? message.body : message.preview,
  };
}

/** The operator's own messages: the command line reads no other principal's. */
export const messageCommands: Readonly<Record<string, Command>> = {
  'message.send': inWorkspace(async (context, fields) => {
    const { perform } = context;
    const about = fields.optionalText('about');
    const { message } = await perform(sendMessage, {
      to: await readSubjectIds(context, fields, 'to'),
      subject: fields.optionalText('subject'),
      body: fields.text('text'),
      threadId: fields.optionalText('thread'),
      about: about === undefined ? undefined : parseFolderLocation(about, 'about'),
    });
    return presentMessage(message);
  }, noRecipient),
  'message.list': inWorkspace(async ({ perform }, fields) => {
    const box = fields.flag('sent') ? 'sent' : 'inbox';
    const threadId = fields.optionalText('thread');
    const page =
      threadId === undefined
        ? await perform(listMessages, { box, after: '', limit: pageSize })
        : await perform(readMessageThread, { threadId, after: '', limit: pageSize });
    return { items: page.items.map(presentMessage) };
  }, noThread),
};
