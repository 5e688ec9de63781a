import { parseFolderLocation } from '../domain/location.js';
import { listMessages, readMessageThread } from '../operations/messages/list-messages.js';
import { sendMessage } from '../operations/messages/send-message.js';
import { toListedMessageRecord, toMessageRecord } from '../records/message-record.js';
import { inWorkspace, type Command } from './command.js';
import { readSubjectIds } from './read-subject.js';

const pageSize = 200;
const noThread = 'The operator has neither sent nor got anything in such a thread.';
const noRecipient = 'There is no such person, agent, group, document or thread, or they are disabled.';

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
    return toListedMessageRecord(message);
  }, noRecipient),
  'message.list': inWorkspace(async ({ perform }, fields) => {
    const box = fields.flag('sent') ? 'sent' : 'inbox';
    const threadId = fields.optionalText('thread');
    const page = { after: '', limit: pageSize };
    if (threadId === undefined) {
      return { items: (await perform(listMessages, { box, ...page })).items.map(toListedMessageRecord) };
    }
    return { items: (await perform(readMessageThread, { threadId, ...page })).items.map(toMessageRecord) };
  }, noThread),
};
