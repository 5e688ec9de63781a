/** What is done, by the noun of its action. The order is that of the chooser. */
const phrases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Reading: {
    'document.read': 'Read a document',
    'document.show_image': 'Was shown an image in a page',
    'document.history': 'Looked at a history',
    'document.diff': 'Compared versions',
    'document.annotate': 'Looked who wrote each line',
    'document.list': 'Listed documents',
    'document.search': 'Searched',
    'folder.browse': 'Opened a folder',
    'folder.list': 'Listed folders',
    'folder.export': 'Began an export',
    'folder.exported': 'Ended an export',
    'audit.exported': 'Ended an export of the log',
    'repository.fetch': 'Began a fetch by git',
    'repository.fetched': 'Ended a fetch by git',
    'location.watch': 'Had a page open',
    'comment.list': 'Read comments',
    'feed.read': 'Asked what changed',
    'feed.followed': 'Ended following changes',
    'brief.read': 'Read a brief',
    'trash.list': 'Looked into the trash',
    'change.list_recent': 'Looked what changed',
    'claim.list': 'Looked at claims',
    'message.list': 'Looked at messages',
    'message.read': 'Read a message',
    'message.read_thread': 'Read a conversation',
    'folder.list_targets': 'Chose a folder to move to',
    'folder.revert_preview': 'Looked what an undo would do',
    'document.preview_edit': 'Tried an edit',
    'document.preview_import': 'Tried an import',
    'document.erase_preview': 'Looked what an erase would take',
  },
  Writing: {
    'document.create': 'Created a document',
    'document.update': 'Saved a document',
    'document.edit': 'Edited a document',
    'document.delete': 'Deleted a document',
    'document.retry_text': 'Had the text of a file made again',
    'document.undelete': 'Brought a document back',
    'document.restore': 'Restored a version',
    'document.erase': 'Erased a document',
    'folder.create': 'Created a folder',
    'folder.delete': 'Deleted a folder',
    'folder.undelete': 'Brought a folder back',
    'folder.revert': 'Undid changes',
    'item.move': 'Moved',
    'item.rename': 'Renamed',
    'repository.push': 'Pushed by git',
    'label.set': 'Set labels',
    'label.add': 'Added labels',
    'label.remove': 'Took labels off',
    'comment.add': 'Commented',
    'comment.resolve': 'Resolved comments',
    'claim.take': 'Claimed',
    'claim.release': 'Released a claim',
    'claim.break': 'Broke a claim',
    'claim.renew': 'Renewed a claim',
    'comment.edit': 'Changed a comment',
    'comment.delete': 'Deleted a comment',
    'document.import': 'Imported documents',
    'message.send': 'Sent a message',
    'message.mark': 'Marked messages as read',
  },
  Access: {
    'grant.create': 'Gave access',
    'grant.change_role': 'Changed a role',
    'grant.revoke': 'Took access away',
    'group.join': 'Put into a group',
    'group.leave': 'Took out of a group',
    'principal.add': 'Added someone',
    'principal.set_state': 'Disabled or enabled someone',
    'credential.mint': 'Made a token',
    'credential.list_own': 'Looked at the own keys',
    'credential.list_notices': 'Looked at keys made by others',
    'credential.acknowledge': 'Said to know of keys made by others',
    'credential.rotate': 'Renewed a token',
    'credential.revoke': 'Revoked a token',
    'reader.list': 'Looked who has access',
    'reach.list': 'Looked what someone reaches',
    'sharing.show': 'Looked how a place is shared',
    'grant.list': 'Looked at grants',
    'principal.list': 'Looked at the people',
    'principal.show': 'Looked at a person or agent',
    'principal.find': 'Looked for someone',
    'group.add': 'Made a group',
    'group.list': 'Looked at the groups',
    'group.show': 'Looked at a group',
    'group.members': 'Looked who is in a group',
    'group.preview': 'Looked what a membership would change',
    'credential.list': 'Looked at tokens',
    'link.issue': 'Made a sign-in link',
    'link.end': 'Ended the sign-in links of a person',
  },
  'Connectors and webhooks': {
    'connector.connect': 'Connected a source',
    'connector.change': 'Changed a connector',
    'connector.sync_now': 'Asked for a sync',
    'connector.sync': 'Mirrored a source',
    'connector.approve': 'Approved a large deletion',
    'connector.disconnect': 'Disconnected a source',
    'connector.list': 'Looked at the connectors',
    'connector.show': 'Looked at a connector',
    'connector.list_runs': 'Looked at the runs of a connector',
    'connector.list_skipped': 'Looked at files left out',
    'connector.pause': 'Paused a connector',
    'connector.resume': 'Resumed a connector',
    'connector.test': 'Tested a connection',
    'connector.rotate_secret': 'Changed the secret of a connector',
    'connector.set_webhook': 'Changed the webhook of a source',
    'connector.notify': 'A source asked for a sync',
    'webhook.create': 'Made a webhook',
    'webhook.change': 'Changed a webhook',
    'webhook.deliver': 'Delivered to a webhook',
    'webhook.stop': 'Stopped a webhook',
    'webhook.remove': 'Removed a webhook',
    'webhook.list': 'Looked at the webhooks',
    'webhook.show': 'Looked at a webhook',
    'webhook.list_deliveries': 'Looked at deliveries',
    'webhook.rotate_secret': 'Renewed the secret of a webhook',
    'webhook.replay': 'Sent deliveries again',
    'webhook.test': 'Tested a webhook',
  },
  'Signing in': {
    'session.begin': 'Signed in',
    'session.end': 'Signed out',
    'consent.give': 'Let an application act',
    'consent.end': 'Ended an application’s access',
    'token.issue': 'Gave a token to an application',
    'password.set': 'Set a password',
  },
  'The log and the service': {
    'audit.list': 'Asked the audit log',
    'audit.verify': 'Checked the audit log',
    'audit.show_verification': 'Looked how far a check is',
    'audit.export': 'Exported the audit log',
    'audit.key': 'Took the key of the audit log',
    'policy.change': 'Changed the policy',
    'workspace.backup': 'Made a backup',
    'workspace.remove': 'Began to remove the workspace',
    'service.file_older': 'Found an older copy of the service’s file',
    'request.make': 'Sent what cannot be read',
    'tool.call': 'Called a tool wrongly',
  },
};

const phraseOf = new Map(Object.values(phrases).flatMap((group) => Object.entries(group)));

/** The actions that can be chosen, in groups. */
export const actionGroups: readonly { readonly title: string; readonly actions: readonly [string, string][] }[] =
  Object.entries(phrases).map(([title, group]) => ({ title, actions: Object.entries(group) }));

/** What was done, in a few words. An action without words of its own is named as the log names it. */
export function describeAction(action: string): string {
  return phraseOf.get(action) ?? action;
}

/** Whether the chooser has it. */
export function isKnownAction(action: string): boolean {
  return phraseOf.has(action);
}

const interfaces: Readonly<Record<string, string>> = {
  rest: 'the REST API',
  mcp: 'MCP',
  console: 'the console',
  command: 'the command line',
  connector: 'a connector',
  git: 'git',
  signin: 'the sign-in',
};

/** By which way it came: "by the console". */
export function describeInterface(name: string): string {
  return interfaces[name] ?? name;
}

/** What gives content away. A list of names does not. */
const readings = new Set([
  'document.read',
  'document.show_image',
  'document.diff',
  'document.annotate',
  'document.preview_edit',
  'document.search',
  'folder.export',
  'repository.fetch',
]);

/** Whether a record says that content was read. */
export function isReading({ action }: { readonly action: string }): boolean {
  return readings.has(action);
}
