import { Copy, Download, Ellipsis, FileCode2, Link2, Lock, MapPin } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { apiAddress } from '../../api/client.ts';
import { copyText } from '../../design/copy-button.tsx';
import { Menu, type MenuAction } from '../../design/menu.tsx';
import { showProblem, showToast } from '../../design/toast.tsx';
import { addressOf, consoleBase } from '../../shell/addresses.ts';
import { ClaimDialog } from './claim-dialog.tsx';
import { fileAddress } from './file-address.ts';
import type { Reading } from './use-reading.ts';

interface MoreActionsProps {
  readonly workspace: string;
  readonly reading: Reading;
  readonly permalink: string;
  readonly mayEdit: boolean;
}

/** What is done with a document now and then. */
export function MoreActions({ workspace, reading, permalink, mayEdit }: MoreActionsProps): ReactNode {
  const [isClaiming, setClaiming] = useState(false);
  const { location, name, version } = reading.document;
  const copy = (text: string, what: string) => () => {
    copyText(text).then(() => showToast({ text: `${what} copied.` }), showProblem);
  };
  const open = (isDownload: boolean) => () => {
    const address = apiAddress(workspace, fileAddress(location, { version: version.id, isDownload }));
    if (isDownload) window.location.assign(address);
    else window.open(address, '_blank', 'noopener');
  };
  const { origin } = window.location;
  const actions: MenuAction[] = [
    { label: 'Copy location', icon: MapPin, run: copy(location, 'Location') },
    {
      label: 'Copy link',
      icon: Link2,
      run: copy(origin + consoleBase + addressOf.document(workspace, location), 'Link'),
    },
    {
      label: 'Copy link to this version',
      icon: Copy,
      run: copy(origin + consoleBase + permalink, 'Link to this version'),
    },
    { label: 'Open raw', icon: FileCode2, run: open(false), startsGroup: true },
    { label: 'Download', icon: Download, run: open(true) },
    ...(mayEdit
      ? [{ label: 'Claim for editing', icon: Lock, run: () => setClaiming(true), startsGroup: true } as const]
      : []),
  ];
  return (
    <>
      <Menu label={`More actions for ${name}`} actions={actions}>
        <Ellipsis aria-hidden />
      </Menu>
      {isClaiming && <ClaimDialog workspace={workspace} reading={reading} onClose={() => setClaiming(false)} />}
    </>
  );
}
