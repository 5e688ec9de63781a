import { parseFolderLocation, parseLocation } from '../../../lib/domain/location.js';
import { makePackable } from '../../../lib/git/objects/objects.js';
import { addComment } from '../../../lib/operations/comments/add-comment.js';
import { takeClaim } from '../../../lib/operations/claims/take-claim.js';
import { createGrant } from '../../../lib/operations/grants/change-grant.js';
import { createDocument } from '../../../lib/operations/documents/create-document.js';
import { deleteFolder } from '../../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../../lib/operations/folders/undelete-folder.js';
import { importDocuments } from '../../../lib/operations/folders/import-documents.js';
import { addPrincipal } from '../../../lib/operations/principals/add-principal.js';
import { perform } from '../../../lib/operations/perform.js';
import { restoreVersion } from '../../../lib/operations/documents/restore-version.js';
import { previewRevert, revertChanges } from '../../../lib/operations/history/revert-changes.js';
import { searchDocuments } from '../../../lib/operations/documents/search-documents.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import { Actor, outcomeOf } from './actor.js';
import { operator, type TestClock } from './service.js';
import { parsePrecondition } from '../../../lib/api/requests/parse-precondition.js';

/**
 * The texts that must be nowhere after the erase of the document: words of its content, of the texts about it, and its
 * names.
 */
export const secrets = {
  words: ['xylographsecret', 'marzipansecret', 'quincunxsecret'],
  said: ['commentedsecret', 'purposesecret', 'labelledsecret', 'messagedsecret'],
  names: ['quokka-dossier', 'wombat-dossier'],
} as const;

export const allSecrets: readonly string[] = [...secrets.words, ...secrets.said, ...secrets.names];

/** Contents of this document alone, in order. */
export const contents = {
  first: `# Dossier\n\n${'The xylographsecret stands on page one.\n'.repeat(20)}`,
  second: `# Dossier\n\n${'Then came the marzipansecret, quietly.\n'.repeat(30)}`,
  third: `# Dossier\n\nNow quincunxsecret\n`,
  large: 'A large quincunxsecret. '.repeat(60_000),
} as const;

/** A text that another document has word for word, and must keep. */
export const shared = 'This text is in two documents, and one of them stays.\n';

/** Where the document ends up. */
export const erased = parseLocation('archive/files/wombat-dossier.md');

/** Stored forms of the contents: pieces of their zlib streams, as the sidecar has them for a while. */
export function deflatedPieces(): Buffer[] {
  return [contents.first, contents.second, contents.third].map((text) => {
    const { deflated } = makePackable('blob', Buffer.from(text));
    return deflated.subarray(8, 40);
  });
}

/**
 * A history with the document in every kind of commit, among others that stay. A second passes between any two.
 * @returns the principal who wrote most of it
 */
export async function makeWorld(workspace: Workspace, clock: TestClock): Promise<Actor> {
  const person = async (displayName: string): Promise<Actor> => {
    const { id } = (await perform(workspace, operator, addPrincipal, { displayName, kind: 'person' })).result;
    const subject = { type: 'principal', id } as const;
    await perform(workspace, operator, createGrant, {
      scopeType: 'folder',
      location: parseFolderLocation(''),
      subject,
      role: 'approver',
    });
    return new Actor(workspace, id);
  };
  const ada = await person('Ada');
  const bob = await person('Bob');
  const at = (location: string) => parseLocation(location);
  const files = (into: string, ...entries: [string, string][]) => ({
    into: parseFolderLocation(into),
    files: entries.map(([name, text]) => ({ location: at(`${into}/${name}`), content: { bytes: Buffer.from(text) } })),
    message: null,
  });
  let first = '';
  let since = 0;
  const steps: (() => Promise<unknown>)[] = [
    () => ada.create('before.md', 'before'),
    () => ada.create('cases/other.md', 'other one'),
    async () => {
      const { result } = await perform(workspace, ada.caller, createDocument, {
        location: at('drafts/quokka-dossier.md'),
        content: { bytes: Buffer.from(contents.first) },
        labels: ['labelledsecret'],
        message: 'messagedsecret',
      });
      first = result.current.id;
    },
    () => ada.update('cases/other.md', 'other two'),
    () => ada.update('drafts/quokka-dossier.md', contents.second),
    () =>
      perform(workspace, ada.caller, addComment, {
        location: at('drafts/quokka-dossier.md'),
        text: 'commentedsecret',
        passage: { quote: 'marzipansecret, quietly.' },
        mentions: [bob.caller.principalId],
      }),
    () => bob.create('cases/twin.md', shared),
    () => bob.update('drafts/quokka-dossier.md', shared),
    () => ada.rename('drafts/quokka-dossier.md', 'wombat-dossier.md', true),
    () => ada.move('drafts/wombat-dossier.md', 'cases', true),
    () => ada.update('cases/twin.md', 'twin two'),
    () => ada.rename('cases', 'files', true),
    () => ada.update('files/wombat-dossier.md', contents.third),
    () => ada.createFolder('archive'),
    () => ada.move('files', 'archive', true),
    () => ada.delete('archive/files/wombat-dossier.md'),
    () => ada.create('archive/between.md', 'between'),
    () => ada.undelete('archive/files/wombat-dossier.md'),
    () =>
      perform(workspace, ada.caller, restoreVersion, {
        location: erased,
        versionId: first,
        precondition: parsePrecondition('*', 'If-Match'),
        message: null,
      }),
    () => perform(workspace, ada.caller, deleteFolder, { location: at('archive/files') }),
    () => ada.update('before.md', 'before two'),
    () => perform(workspace, ada.caller, undeleteFolder, { location: at('archive/files') }),
    () => {
      since = clock.now();
      return bob.update(erased, 'Bob wrote over the xylographsecret');
    },
    () => bob.update('archive/files/other.md', 'Bob wrote over it'),
    async () => {
      const input = { location: parseFolderLocation(''), principalId: bob.caller.principalId, since };
      const { digest } = (await perform(workspace, ada.caller, previewRevert, input)).result;
      await perform(workspace, ada.caller, revertChanges, { ...input, preview: digest, message: null });
    },
    () =>
      perform(
        workspace,
        ada.caller,
        importDocuments,
        files('imported', ['a.md', 'imported a'], ['b.txt', 'imported b']),
      ),
    () => ada.update(erased, contents.large),
    () => ada.update(erased, contents.third),
    () => ada.create('binary.bin', '\u0000binary'),
    () => perform(workspace, bob.caller, takeClaim, { location: erased, purpose: 'purposesecret' }),
    () =>
      perform(workspace, operator, createGrant, {
        scopeType: 'document',
        location: erased,
        subject: { type: 'principal', id: bob.caller.principalId },
        role: 'editor',
      }),
    () => outcomeOf(ada.update(erased, 'refused, since it is claimed: quincunxsecret')),
    () =>
      perform(workspace, ada.caller, searchDocuments, {
        query: 'wombat-dossier',
        location: parseFolderLocation(''),
        labels: [],
        limit: 10,
        position: null,
      }),
    () => ada.read(erased),
  ];
  for (const step of steps) {
    await step();
    clock.advance(1000);
  }
  return ada;
}
