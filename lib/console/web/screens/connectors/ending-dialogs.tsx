import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { apiOf, dataOf } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Button } from '../../design/button.tsx';
import { Choice, TextField } from '../../design/field.tsx';
import { FormDialog, useForm } from '../../design/form-dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { useConnectorChanges, type Connector } from './connector-queries.ts';

interface TypedNameProps {
  readonly location: string;
  readonly typed: string;
  readonly error: string | undefined;
  readonly onType: (typed: string) => void;
}

/** What a person types to say that they mean it: the folder. */
function TypedName({ location, typed, error, onType }: TypedNameProps): ReactNode {
  return (
    <TextField
      label={`Type ${location} to confirm`}
      error={error}
      value={typed}
      maxLength={1000}
      autoCapitalize="none"
      ref={takeFocus}
      onChange={(event) => onType(event.target.value)}
    />
  );
}

const faultOf = (typed: string, location: string): string | undefined =>
  typed.trim() === location ? undefined : `Type the folder exactly as it is written: ${location}`;

/** Approves the deletion that a connector holds. It says what goes, and asks for the name of the folder. */
export function ApproveDialog({ connector, onClose }: { connector: Connector; onClose: () => void }): ReactNode {
  const { name: workspace } = useWorkspace();
  const changes = useConnectorChanges();
  const attempts = useAttempts();
  const [typed, setTyped] = useState('');
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
  const form = useForm(approve, { typed: faultOf(typed, location) });
  return (
    <FormDialog
      title="Approve the deletion?"
      action="Approve deletion"
      look="danger"
      sending={form}
      onSubmit={() => approve.mutate()}
      onClose={onClose}
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
      <TypedName location={location} typed={typed} error={form.errors.typed} onType={setTyped} />
    </FormDialog>
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
  const isTooMany = disconnect.error !== null && asProblem(disconnect.error).reason === 'too_many_documents';
  const form = useForm(
    { isPending: disconnect.isPending, error: isTooMany ? null : disconnect.error },
    { typed: isDelete ? faultOf(typed, location) : undefined },
  );
  return (
    <FormDialog
      title={`Disconnect ${name}?`}
      action={isDelete ? 'Disconnect and delete' : 'Disconnect'}
      look="danger"
      sending={form}
      onSubmit={() => disconnect.mutate()}
      onClose={onClose}
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
      {isDelete && <TypedName location={location} typed={typed} error={form.errors.typed} onType={setTyped} />}
      {isTooMany && (
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
      )}
    </FormDialog>
  );
}
