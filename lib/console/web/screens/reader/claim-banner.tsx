import { useMutation } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { Time } from '../../design/time.tsx';
import { showProblem, showToast } from '../../design/toast.tsx';
import { readOutline } from '../../../../text/outline.ts';
import { useReadAgain, type Claim, type Reading } from './use-reading.ts';

interface ClaimBannerProps {
  readonly workspace: string;
  readonly reading: Reading;
  readonly claim: Claim;
}

/** Who holds a claim here, what for and until when; and the way to end it. */
export function ClaimBanner({ workspace, reading, claim }: ClaimBannerProps): ReactNode {
  const { location } = reading.document;
  const { principal_id: me } = useWorkspace();
  const [isBreaking, setBreaking] = useState(false);
  const attempts = useAttempts();
  const readAgain = useReadAgain(workspace, location);
  const isOwn = claim.holder.id === me;
  const release = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).DELETE('/claims', { params: { query: { id: claim.id } } })),
    onSuccess: async () => {
      await readAgain();
      showToast({ text: 'The claim is released.' });
    },
    onError: showProblem,
  });
  const end = useMutation({
    mutationFn: () => {
      const body = { location, id: claim.id };
      const params = { header: { 'Idempotency-Key': attempts.keyFor(body) } };
      return dataOf(apiOf(workspace).POST('/claim-breaks', { params, body }));
    },
    onSuccess: async () => {
      setBreaking(false);
      await readAgain();
      showToast({ text: 'The claim is broken.' });
    },
  });
  const title = useMemo(
    () => readOutline(reading.content ?? '').find(({ id }) => id === claim.section)?.title,
    [reading.content, claim.section],
  );
  const part =
    claim.section === null ? (
      'this document'
    ) : (
      <>
        the section <bdi>{title ?? claim.section}</bdi>
      </>
    );
  return (
    <Notice
      tone={isOwn ? 'success' : 'warning'}
      action={
        isOwn ? (
          <Button size="small" isPending={release.isPending} onClick={() => release.mutate()}>
            Release claim
          </Button>
        ) : (
          reading.role === 'approver' && (
            <Button size="small" onClick={() => setBreaking(true)}>
              Break claim
            </Button>
          )
        )
      }
    >
      <p>
        {isOwn ? 'You' : <Who name={claim.holder.display_name} kind={claim.holder.kind} />} {isOwn ? 'hold' : 'holds'} a
        claim on {part} until <Time at={claim.expires_at} form="exact" />.
        {!isOwn && ' Others cannot save changes there.'}
      </p>
      {claim.purpose !== null && (
        <p>
          <bdi>{claim.purpose}</bdi>
        </p>
      )}
      {isBreaking && (
        <ConfirmDialog
          title="Break claim"
          action="Break claim"
          sending={end}
          onConfirm={() => end.mutate()}
          onClose={() => setBreaking(false)}
        >
          <p>
            <bdi>{claim.holder.display_name}</bdi> may be in the middle of a change. After this, others can save, and
            the holder finds the claim broken.
          </p>
        </ConfirmDialog>
      )}
    </Notice>
  );
}
