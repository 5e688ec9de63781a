import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { apiOf, dataOf } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Choice, TextField } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { ProblemLine } from '../../design/state.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { useConnectorChanges, type Connector } from './queries.ts';

interface TypedNameProps {
  readonly location: string;
  readonly typed: string;
  readonly isWrong: boolean;
  readonly onType: (typed: string) => void;
}

/** What a person types to say that they mean it: the folder. */
function TypedName({ location, typed, isWrong, onType }: TypedNameProps): ReactNode {
  return (
    <TextField
      label={`Type ${location} to confirm`}
      error={isWrong ? `Type the folder exactly as it is written: ${location}` : undefined}
      value={typed}
      maxLength={1000}
      autoCapitalize="none"
      ref={takeFocus}
      onChange={(event) => onType(event.target.value)}
    />
  );
}

/** Approves the deletion that a connector holds. It says what goes, and asks for the name of the folder. */
export function ApproveDialog({ connector, onClose }: { connector: Connector; onClose: () => void }): ReactNode {
  const { name: workspace } = useWorkspace();
  const changes = useConnectorChanges();
  const attempts = useAttempts();
  const [typed, setTyped] = useState('');
  const [isTried, setTried] = useState(false);
  // What was looked at is approved, and nothing that came meanwhile.
  const [{ id, location, held_change: change, reason }] = useState(connector);
  const approve = useMutation({
    mutationFn: () => {
      const body = { change: change ?? '' };
      const params = { path: { id }, header: { 'Idempotency-Key': attempts.keyFor(body) } };
      return dataOf(apiOf(workspace).POST('/connectors/{id}/approvals', { params, body }));
    },
    onSuccess: (changed) => {
      changes.keep(changed);
      onClose();
      showToast({ text: 'Approved. The sync goes on.' });
    },
    onSettled: () => void changes.renew(),
  });
  const submit = (): void => {
    setTried(true);
    if (typed.trim() === location && !approve.isPending) approve.mutate();
  };
  return (
    <Dialog
      title="Approve the deletion?"
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" type="submit" isPending={approve.isPending}>
            Approve deletion
          </Button>
        </>
      }
    >
      <Notice tone="danger">
        <p>{reason}</p>
      </Notice>
      <ul className="plain-list">
        <li>The documents leave the folder and the search.</li>
        <li>
          Their history stays, and the trash lists them. If the files come back at the source, the next sync brings them
          again.
        </li>
        <li>Exactly this change is approved. If the source changes again meanwhile, it is asked about again.</li>
      </ul>
      <TypedName location={location} typed={typed} isWrong={isTried && typed.trim() !== location} onType={setTyped} />
      <ProblemLine error={approve.error} />
    </Dialog>
  );
}

interface DisconnectProps {
  readonly connector: Connector;
  readonly onClose: () => void;
  /** @param sentence what was done */
  readonly onDone: (sentence: string) => void;
}

/** Ends a mirror for good, and asks what becomes of the documents. */
export function DisconnectDialog({ connector, onClose, onDone }: DisconnectProps): ReactNode {
  const { name: workspace } = useWorkspace();
  const [, navigate] = useLocation();
  const changes = useConnectorChanges();
  const { id, location, name } = connector;
  const [documents, setDocuments] = useState<'keep' | 'delete'>('keep');
  const [typed, setTyped] = useState('');
  const [isTried, setTried] = useState(false);
  const disconnect = useMutation({
    mutationFn: () =>
      dataOf(apiOf(workspace).DELETE('/connectors/{id}', { params: { path: { id }, query: { documents } } })),
    onSuccess: async ({ deleted }) => {
      onDone(
        deleted > 0
          ? `${name} is disconnected, and its ${deleted === 1 ? 'document is' : 'documents are'} in the trash.`
          : `${name} is disconnected.`,
      );
      navigate(addressOf.connectors(workspace), { replace: true });
      await changes.renew();
    },
  });
  const isDelete = documents === 'delete';
  const isWrong = isDelete && typed.trim() !== location;
  const isTooMany = disconnect.error !== null && asProblem(disconnect.error).reason === 'too_many_documents';
  const submit = (): void => {
    setTried(true);
    if (!isWrong && !disconnect.isPending) disconnect.mutate();
  };
  return (
    <Dialog
      title={`Disconnect ${name}?`}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" type="submit" isPending={disconnect.isPending}>
            {isDelete ? 'Disconnect and delete' : 'Disconnect'}
          </Button>
        </>
      }
    >
      <p>
        The connection ends for good, and its credential is deleted. Nothing changes at the source. A sync under way
        ends, and what it read so far is dropped.
      </p>
      <fieldset className="choices">
        <legend className="field-label">The documents in {location}</legend>
        <Choice
          type="radio"
          name="documents"
          label="Keep them"
          hint="They become ordinary documents, which editors can change here. Their history and comments stay."
          checked={!isDelete}
          onChange={() => setDocuments('keep')}
        />
        <Choice
          type="radio"
          name="documents"
          label="Delete them"
          hint="The folder goes into the trash with everything in it. It can be brought back from there as an ordinary folder."
          checked={isDelete}
          onChange={() => setDocuments('delete')}
        />
      </fieldset>
      {isDelete && <TypedName location={location} typed={typed} isWrong={isTried && isWrong} onType={setTyped} />}
      {isTooMany ? (
        <Notice
          tone="warning"
          title="There are too many documents to delete at once"
          action={
            <Button
              size="small"
              onClick={() => {
                disconnect.reset();
                setDocuments('keep');
              }}
            >
              Keep them instead
            </Button>
          }
          isUrgent
        >
          <p>{asProblem(disconnect.error).sentence}</p>
        </Notice>
      ) : (
        <ProblemLine error={disconnect.error} />
      )}
    </Dialog>
  );
}
