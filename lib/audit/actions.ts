import { likenessTo } from '../text/measure-likeness.js';

/** What an action does to what it is about. */
export type ActionKind = 'create' | 'read' | 'update' | 'delete' | 'other';

const names: Readonly<Record<ActionKind, string>> = {
  create: `claim.take comment.add connector.connect consent.give credential.mint document.create document.import
    folder.create grant.create group.add group.join label.add link.issue message.send principal.add session.begin
    token.issue webhook.create workspace.backup`,
  read: `audit.export audit.exported audit.key audit.list audit.show_verification audit.verify brief.read
    change.list_recent claim.list comment.list connector.list connector.list_kinds connector.list_runs
    connector.list_skipped connector.show consent.list consent.list_own credential.list
    credential.list_notices credential.list_own document.annotate document.diff
    document.erase_preview document.find_imported document.history document.list document.preview_edit
    document.preview_import document.read document.search document.show_image erasure.list erasure.read feed.followed
    feed.read folder.browse folder.export folder.exported folder.list folder.list_targets folder.revert_preview
    grant.find_scope grant.list group.list group.members group.preview group.show label.list
    location.watch message.list message.read message.read_thread policy.show principal.find principal.list
    principal.look_up principal.show reach.list reader.list repository.fetch repository.fetched repository.list_refs
    session.list sharing.show trash.list webhook.list webhook.list_deliveries webhook.show workspace.overview`,
  update: `audit.archive claim.renew comment.edit comment.resolve connector.approve connector.change connector.pause
    connector.resume connector.rotate_secret connector.run connector.set_webhook connector.sync connector.sync_now credential.acknowledge credential.rotate document.edit
    document.restore document.undelete document.update folder.revert folder.undelete grant.change_role item.move
    item.rename label.set message.mark password.set policy.change principal.set_state repository.push webhook.change
    webhook.rotate_secret workspace.rebuild workspace.recover workspace.recovered
    workspace.restore`,
  delete: `claim.break claim.release comment.delete connector.disconnect consent.end consent.refuse consent.revoke
    consent.revoke_all credential.revoke document.delete document.erase document.erased folder.delete grant.revoke
    group.leave label.remove link.end session.end session.end_all webhook.remove workspace.remove`,
  other: `authentication.failed connector.notify connector.test document.retry_text rate.limited request.make service.file_older
    tool.call webhook.deliver webhook.replay webhook.stop webhook.test`,
};

/** All actions of the audit log. */
export const actionKinds: ReadonlyMap<string, ActionKind> = new Map(
  (Object.entries(names) as [ActionKind, string][]).flatMap(([kind, listed]) =>
    listed.split(/\s+/).map((name) => [name, kind] as const),
  ),
);

/** How many actions are offered in place of an unknown one. */
const mostOffered = 5;
/** The least likeness of an action that is offered, from 0 to 1. */
const leastLike = 0.4;

/** The known actions most like an unknown one, the likest first. Those with the same verb are as like as the same. */
export function findNearActions(unknown: string): readonly string[] {
  const likeness = likenessTo(unknown);
  return [...actionKinds.keys()]
    .map((name) => ({ name, like: name.endsWith(`.${unknown}`) ? 1 : likeness(name) }))
    .filter(({ like }) => like >= leastLike)
    .toSorted((one, other) => other.like - one.like)
    .slice(0, mostOffered)
    .map(({ name }) => name);
}
