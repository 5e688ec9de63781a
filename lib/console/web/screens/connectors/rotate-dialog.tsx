import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { Choice } from '../../design/field.tsx';
import { FormDialog, useForm } from '../../design/form-dialog.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { Skeleton } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { useConnectorChanges, useKinds, type Connector } from './connector-queries.ts';
import { SecretField } from './settings-fields.tsx';
import { typedOf } from './settings.ts';

/** Replaces the credential of a connector. It goes only where the settings lead. */
export function RotateDialog({ connector, onClose }: { connector: Connector; onClose: () => void }): ReactNode {
  const { name: workspace } = useWorkspace();
  const changes = useConnectorChanges();
  const kinds = useKinds();
  const { id, kind, settings, has_secret: hasSecret, state } = connector;
  const [secret, setSecret] = useState('');
  const [isNone, setNone] = useState(false);
  const replace = useMutation({
    mutationFn: () =>
      dataOf(
        apiOf(workspace).PUT('/connectors/{id}/secret', {
          params: { path: { id } },
          body: { secret: isNone ? null : secret },
        }),
      ),
    onSuccess: (changed) => {
      changes.keep(changed);
      onClose();
      showToast({
        text: state === 'paused' ? 'The credential is replaced.' : 'The credential is replaced. A sync tries it now.',
      });
    },
    onSettled: () => void changes.renew(),
  });
  const described = kinds.data?.find((each) => each.kind === kind);
  const isLacking = secret === '' && !isNone;
  const form = useForm(replace, { secret: isLacking ? 'Enter the new credential.' : undefined }, () => ({}));
  return (
    <FormDialog
      title={hasSecret ? 'Replace credential' : 'Set credential'}
      action="Save and sync"
      sending={form}
      onSubmit={() => replace.mutate()}
      onClose={onClose}
    >
      <p>
        It is used for <PlainText text={connector.source} /> alone. The present one is deleted.
      </p>
      {described === undefined ? (
        <Skeleton lines={1} />
      ) : (
        !isNone && (
          <SecretField
            described={described}
            typed={typedOf(settings)}
            secret={secret}
            onType={setSecret}
            isRequired
            error={form.errors.secret}
          />
        )
      )}
      {hasSecret && (
        <Choice
          label="The source is open to everybody now"
          hint="The credential is deleted, and none is sent."
          checked={isNone}
          onChange={(event) => setNone(event.target.checked)}
        />
      )}
    </FormDialog>
  );
}
