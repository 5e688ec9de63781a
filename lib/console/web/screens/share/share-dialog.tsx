import { useState, type ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { Dialog } from '../../design/dialog.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { nameOf } from '../../navigation/addresses.ts';
import { GrantList } from './grant-list.tsx';
import { useSharing, type Sharing } from './share-queries.ts';
import { ReaderList } from './reader-list.tsx';
import { ShareForm } from './share-form.tsx';

interface ShareDialogProps {
  readonly workspace: string;
  /** The document or folder; '' is the whole workspace. */
  readonly location: string;
  readonly onClose: () => void;
}

/** Who has access to a place and why. Approvers also add, change and remove there. */
export function ShareDialog({ workspace, location, onClose }: ShareDialogProps): ReactNode {
  const sharing = useSharing(workspace, location);
  const name = location === '' ? workspace : nameOf(location);
  const isApprover = sharing.data?.role === 'approver';
  const title = isApprover || sharing.data === undefined ? `Share ${name}` : `Who can reach ${name}`;
  return (
    <Dialog title={title} onClose={onClose} size="wide">
      <div className="share">
        {sharing.data !== undefined ? (
          <Content workspace={workspace} sharing={sharing.data} onClose={onClose} />
        ) : sharing.error === null ? (
          <Skeleton />
        ) : (
          <ProblemState error={sharing.error} what="place" onRetry={() => void sharing.refetch()} />
        )}
      </div>
    </Dialog>
  );
}

interface ContentProps {
  readonly workspace: string;
  readonly sharing: Sharing;
  readonly onClose: () => void;
}

function Content({ workspace, sharing, onClose }: ContentProps): ReactNode {
  const [view, setView] = useState<'here' | 'everyone'>('here');
  const { principal_id: ownId } = useWorkspace();
  if (sharing.role !== 'approver') {
    return (
      <>
        <p className="soft small">Only an approver of this place can share it or take access away.</p>
        <ReaderList workspace={workspace} sharing={sharing} ownId={ownId} />
      </>
    );
  }
  return (
    <>
      <ShareForm workspace={workspace} sharing={sharing} />
      <Tabs
        label="Access"
        tabs={[
          { name: 'here', title: 'Shared with' },
          { name: 'everyone', title: 'Everyone with access' },
        ]}
        chosen={view}
        onChoose={setView}
      >
        {view === 'here' ? (
          <GrantList workspace={workspace} sharing={sharing} ownId={ownId} onClose={onClose} />
        ) : (
          <ReaderList workspace={workspace} sharing={sharing} ownId={ownId} onGrants={() => setView('here')} />
        )}
      </Tabs>
    </>
  );
}
