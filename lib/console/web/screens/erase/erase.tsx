import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Flame, LogIn } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { apiOf, dataOf } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Who } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { ProblemLine, ProblemState, Skeleton } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf, againAddress, consoleBase, nameOf } from '../../navigation/addresses.ts';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { describeAmount, Unreachable } from './consequences.tsx';
import { forgetDocument } from './forget.ts';
import { useErasePreview, type ErasePreview } from './erase-queries.ts';

/** Erases a document: what dies, what cannot be recalled, its name typed once more, and a sign-in of the last minutes. */
export function Erase({ workspace, rest: location }: ScreenProps): ReactNode {
  const [search] = useSearchParams();
  const preview = useErasePreview(workspace, location, search.get('document') ?? '');
  if (preview.data === undefined) {
    return (
      <Page title="Erase a document">
        {preview.error === null ? (
          <Skeleton />
        ) : (
          <ProblemState error={preview.error} what="document" onRetry={() => void preview.refetch()} />
        )}
      </Page>
    );
  }
  return <Asked workspace={workspace} found={preview.data} onStale={() => void preview.refetch()} />;
}

interface AskedProps {
  readonly workspace: string;
  readonly found: ErasePreview;
  /** What was shown is no longer so. */
  readonly onStale: () => void;
}

function Asked({ workspace, found, onStale }: AskedProps): ReactNode {
  const { location, document, deleted_at: deletedAt, signed_in_until: signedInUntil } = found;
  const name = nameOf(location);
  const [typed, setTyped] = useState('');
  const [isOther, setOther] = useState(false);
  const client = useQueryClient();
  const erase = useMutation({
    mutationFn: () =>
      dataOf(apiOf(workspace).POST('/erasures', { body: { location, document, confirmation: typed.trim() } })),
    onSuccess: async ({ id }) => {
      client.clear();
      await forgetDocument({ workspace, location, document });
      // A new page: nothing of the document stays in this one's memory, and its address gives way.
      window.location.replace(consoleBase + addressOf.erasure(workspace, id));
    },
    onError: (error) => {
      if (asProblem(error).reason === 'sign_in_again') onStale();
    },
  });
  const back = deletedAt === null ? addressOf.document(workspace, location) : addressOf.trash(workspace);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setOther(typed.trim() !== name);
    if (typed.trim() === name && !erase.isPending) erase.mutate();
  };
  return (
    <Page
      title="Erase a document"
      heading={
        <>
          Erase <bdi>{name}</bdi>
        </>
      }
    >
      <Notice tone="danger" title="An erase cannot be undone">
        <p>
          To take something away that may come back, delete it instead. An erase is for what must not exist any more.
        </p>
      </Notice>
      <Panel title="What is destroyed">
        <dl className="facts">
          <dt>Document</dt>
          <dd>
            <bdi>{location}</bdi>
            {deletedAt !== null && (
              <>
                {' '}
                (deleted <Time at={deletedAt} />)
              </>
            )}
          </dd>
          <dt>With it</dt>
          <dd>{describeAmount(found)}</dd>
          <dt>Also</dt>
          <dd>Its name, labels, claims, grants, the messages about it, and its words in the search.</dd>
          <dt>Created</dt>
          <dd className="erase-who">
            <Time at={found.created_at} form="exact" />{' '}
            <Who name={found.created_by.display_name} kind={found.created_by.kind} />
          </dd>
          <dt>Last changed</dt>
          <dd className="erase-who">
            <Time at={found.changed_at} form="exact" />{' '}
            <Who name={found.changed_by.display_name} kind={found.changed_by.kind} />
          </dd>
        </dl>
        <p className="soft small erase-rest">
          The audit log keeps that a document was erased, by whom and when. It does not keep its name.
        </p>
      </Panel>
      <Panel title="What cannot be recalled">
        <Unreachable />
      </Panel>
      {signedInUntil === null ? (
        <Panel title="Sign in again to go on">
          <div className="stack">
            <p>Your last sign-in is more than five minutes old. Show first that it is still you.</p>
            <div className="cluster">
              <a className="button primary" href={againAddress()}>
                <LogIn aria-hidden />
                Sign in again
              </a>
              <LinkButton href={back}>Cancel</LinkButton>
            </div>
            <ProblemLine error={erase.error} />
          </div>
        </Panel>
      ) : (
        <Panel title="Erase it">
          <form className="stack" noValidate onSubmit={submit}>
            <TextField
              label="Type the document’s name"
              hint={
                <>
                  Its name is <bdi className="erase-name">{name}</bdi>.
                </>
              }
              value={typed}
              maxLength={1024}
              error={isOther ? 'That is not the name of this document.' : undefined}
              onChange={({ target }) => {
                setTyped(target.value);
                setOther(false);
              }}
            />
            <ProblemLine error={erase.error} />
            <div className="cluster">
              <Button type="submit" look="danger" icon={Flame} isPending={erase.isPending || erase.isSuccess}>
                Erase for good
              </Button>
              <LinkButton href={back}>Cancel</LinkButton>
            </div>
          </form>
        </Panel>
      )}
    </Page>
  );
}
