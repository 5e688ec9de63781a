import { useState, type ReactNode } from 'react';
import { LinkButton } from '../../design/button.tsx';
import { MirrorNotice } from '../../design/mirror-notice.tsx';
import { Notice } from '../../design/notice.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { ClaimBanner } from './claim-banner.tsx';
import { summarizeHidden, type HiddenMarks } from './hidden-text.ts';
import type { Claim, Reading } from './use-reading.ts';

interface BannersProps {
  readonly workspace: string;
  readonly reading: Reading;
  readonly claims: readonly Claim[];
  readonly hidden: HiddenMarks;
  readonly isOlder: boolean;
  /** Whether the address names the version. */
  readonly isPinned: boolean;
  /** Whether the source is shown. */
  readonly isSource: boolean;
}

/** What a reader has to know before the text. */
export function Banners({ workspace, reading, claims, hidden, isOlder, isPinned, isSource }: BannersProps): ReactNode {
  const { document } = reading;
  const { location } = document;
  return (
    <>
      {isOlder && (
        <Notice
          tone="warning"
          title="You are reading an older version"
          action={
            <LinkButton size="small" href={addressOf.document(workspace, location)}>
              Go to current version
            </LinkButton>
          }
        >
          <p>
            It is from <Time at={document.version.created_at} form="exact" />. The document has changed since.
          </p>
        </Notice>
      )}
      {!isOlder && isPinned && (
        <Notice
          action={
            <LinkButton size="small" href={addressOf.document(workspace, location)}>
              Follow the document
            </LinkButton>
          }
        >
          <p>This link stays with this version. It is the current one at the moment.</p>
        </Notice>
      )}
      {document.read_only && (
        <MirrorNotice
          workspace={workspace}
          what="document"
          source={document.source}
          isManager={reading.role === 'approver'}
        />
      )}
      {claims.map((claim) => (
        <ClaimBanner key={claim.id} workspace={workspace} reading={reading} claim={claim} />
      ))}
      {hidden.marks.length > 0 && (
        <HiddenNotice
          hidden={hidden}
          sourceAt={
            isSource ? undefined : sourceAddress(workspace, location, isPinned ? document.version.id : undefined)
          }
        />
      )}
    </>
  );
}

const linesShown = 12;

/** @param version named by the address; left out: the current one */
function sourceAddress(workspace: string, location: string, version: string | undefined): string {
  const address =
    version === undefined ? addressOf.document(workspace, location) : addressOf.version(workspace, location, version);
  return `${address}${version === undefined ? '?' : '&'}view=source`;
}

function HiddenNotice({ hidden, sourceAt }: { hidden: HiddenMarks; sourceAt: string | undefined }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { marks, areMore } = hidden;
  const count = areMore ? `more than ${marks.length}` : String(marks.length);
  return (
    <Notice
      tone="warning"
      title={`This text has ${count} hidden ${marks.length === 1 ? 'character' : 'characters'}`}
      action={
        sourceAt !== undefined && (
          <LinkButton size="small" href={sourceAt}>
            Show in source
          </LinkButton>
        )
      }
    >
      <p>They are invisible, or show the text in another order than programs and agents read it.</p>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Which ones</summary>
        <ul className="hidden-list">
          {summarizeHidden(marks).map(({ code, name, lines }) => (
            <li key={code}>
              <code>{code}</code> {name}: {lines.length === 1 ? 'line' : 'lines'}{' '}
              {[...new Set(lines)].slice(0, linesShown).join(', ')}
              {new Set(lines).size > linesShown && ' and more'}
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}
