import {
  Copy,
  Download,
  Ellipsis,
  Eye,
  FileCode2,
  Flame,
  FolderInput,
  Link2,
  Lock,
  MapPin,
  PenLine,
  Trash2,
  Users,
} from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { apiAddress, apiOf, dataOf, newIdempotencyKey } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { copyText } from '../../design/copy-button.tsx';
import type { MenuAction } from '../../design/menu-list.tsx';
import { Menu } from '../../design/menu.tsx';
import { showProblem, showToast } from '../../design/toast.tsx';
import { addressOf, consoleBase, folderOf } from '../../navigation/addresses.ts';
import { ClaimDialog } from './claim-dialog.tsx';
import { fileAddress } from './file-address.ts';
import type { Reading } from './use-reading.ts';

const MoveDialog = lazy(async () => ({ default: (await import('../move/move-dialog.tsx')).MoveDialog }));
const RenameDialog = lazy(async () => ({ default: (await import('../move/rename-dialog.tsx')).RenameDialog }));
const ShareDialog = lazy(async () => ({ default: (await import('../share/share-dialog.tsx')).ShareDialog }));

interface ActionsProps {
  readonly workspace: string;
  readonly reading: Reading;
  readonly permalink: string;
  readonly mayEdit: boolean;
  /** The main action, between sharing and the menu. */
  readonly edit: ReactNode;
}

type Asked = 'share' | 'claim' | 'rename' | 'move';

/** Sharing, and what is done with a document now and then. */
export function MoreActions({ workspace, reading, permalink, mayEdit, edit }: ActionsProps): ReactNode {
  const [asked, setAsked] = useState<Asked | undefined>();
  const [, navigate] = useLocation();
  const { id, location, name, version } = reading.document;
  const remove = useDelete(workspace, reading.document);
  const copy = (text: string, what: string) => () => {
    copyText(text).then(() => showToast({ text: `${what} copied.` }), showProblem);
  };
  const open = (isDownload: boolean) => () => {
    const address = apiAddress(workspace, fileAddress(location, { version: version.id, isDownload }));
    if (isDownload) window.location.assign(address);
    else window.open(address, '_blank', 'noopener');
  };
  const ask = (what: Asked) => () => setAsked(what);
  const start = window.location.origin + consoleBase;
  const actions: MenuAction[] = [
    { label: 'Copy location', icon: MapPin, run: copy(location, 'Location') },
    { label: 'Copy link', icon: Link2, run: copy(start + addressOf.document(workspace, location), 'Link') },
    { label: 'Copy link to this version', icon: Copy, run: copy(start + permalink, 'Link to this version') },
    ...(reading.role === 'approver'
      ? [{ label: 'Who read this', icon: Eye, run: () => navigate(addressOf.whoRead(workspace, { location })) }]
      : []),
    { label: 'Open raw', icon: FileCode2, run: open(false), startsGroup: true },
    { label: 'Download', icon: Download, run: open(true) },
    ...(mayEdit
      ? ([
          { label: 'Claim for editing', icon: Lock, run: ask('claim'), startsGroup: true },
          { label: 'Rename document', icon: PenLine, run: ask('rename') },
          { label: 'Move document', icon: FolderInput, run: ask('move') },
          { label: 'Delete document', icon: Trash2, run: () => void remove(), isDangerous: true, startsGroup: true },
        ] as const)
      : []),
    ...(reading.role === 'approver'
      ? [
          {
            label: 'Erase document…',
            icon: Flame,
            run: () => navigate(addressOf.erase(workspace, location, id)),
            isDangerous: true,
            startsGroup: !mayEdit,
          },
        ]
      : []),
  ];
  return (
    <>
      <Button look="quiet" icon={Users} onClick={ask('share')}>
        Share
      </Button>
      {edit}
      <Menu label={`More actions for ${name}`} actions={actions}>
        <Ellipsis aria-hidden />
      </Menu>
      <Suspense fallback={null}>
        <Asking workspace={workspace} reading={reading} asked={asked} onClose={() => setAsked(undefined)} />
      </Suspense>
    </>
  );
}

interface AskingProps extends Pick<ActionsProps, 'workspace' | 'reading'> {
  readonly asked: Asked | undefined;
  readonly onClose: () => void;
}

/** The dialog that is open, if any. */
function Asking({ workspace, reading, asked, onClose }: AskingProps): ReactNode {
  const [, navigate] = useLocation();
  const { location } = reading.document;
  const item = { location, type: 'document' } as const;
  const follow = ([relocated]: readonly { readonly to: string }[]): void => {
    if (relocated !== undefined) navigate(addressOf.document(workspace, relocated.to), { replace: true });
  };
  switch (asked) {
    case undefined:
      return null;
    case 'share':
      return <ShareDialog workspace={workspace} location={location} onClose={onClose} />;
    case 'claim':
      return <ClaimDialog workspace={workspace} reading={reading} onClose={onClose} />;
    case 'rename':
      return <RenameDialog workspace={workspace} item={item} onClose={onClose} onRenamed={follow} />;
    case 'move':
      return <MoveDialog workspace={workspace} items={[item]} onClose={onClose} onMoved={follow} />;
  }
}

/** Deletes the document as it was read, goes to its folder, and offers the way back. */
function useDelete(workspace: string, { location, name, id, etag }: Reading['document']): () => Promise<void> {
  const [, navigate] = useLocation();
  const bringBack = async (key: string): Promise<void> => {
    const params = { header: { 'Idempotency-Key': key } };
    try {
      await dataOf(apiOf(workspace).POST('/trash/undeletes', { params, body: { location, document_id: id } }));
      navigate(addressOf.document(workspace, location));
    } catch (error) {
      showProblem(error);
    }
  };
  return async () => {
    const params = { path: { location }, header: { 'If-Match': etag } };
    try {
      await dataOf(apiOf(workspace).DELETE('/documents/{location}', { params }));
      navigate(addressOf.folder(workspace, folderOf(location)));
      const key = newIdempotencyKey();
      showToast({ text: `${name} is deleted.`, action: { label: 'Undo', run: () => void bringBack(key) } });
    } catch (error) {
      showProblem(error);
    }
  };
}
