import { FilePlus, FolderOpen, Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { LinkButton } from '../../design/button.tsx';
import { State } from '../../design/state.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { mayEdit } from './may.ts';
import type { BrowsedFolder } from './browser-queries.ts';

/** A folder without anything in it, or a person without anything shared. */
export function EmptyFolder({ folder }: { folder: BrowsedFolder['folder'] }): ReactNode {
  const { name, display_name: person } = useWorkspace();
  if (folder === null) {
    return (
      <State icon={Inbox} title="Nothing is shared with you yet">
        <p>
          This is not an error. You are signed in as <bdi>{person}</bdi> in the workspace <bdi>{name}</bdi>. A folder or
          a document appears here as soon as it is shared with you.
        </p>
      </State>
    );
  }
  if (!mayEdit(folder.role, folder.read_only)) {
    return (
      <State icon={FolderOpen} title="There is nothing here yet">
        <p>What is added to this folder appears here.</p>
      </State>
    );
  }
  return (
    <State
      icon={FolderOpen}
      title="This folder is empty"
      actions={
        <LinkButton look="primary" icon={FilePlus} href={addressOf.newDocument(name, folder.location)}>
          New document
        </LinkButton>
      }
    >
      <p>Write a document, or drop files and folders anywhere on this page to upload them.</p>
    </State>
  );
}
