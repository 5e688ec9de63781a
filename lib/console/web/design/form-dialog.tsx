import { useState, type ReactNode } from 'react';
import { asProblem, type Problem } from '../api/problem.ts';
import { Button, type ButtonLook } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemLine } from './state.tsx';

/** A request for which a dialog waits: a mutation is one. */
export interface Sending {
  readonly isPending: boolean;
  /** Why it failed, for the line below the form. */
  readonly error?: unknown;
}

/** Sentences beside fields. */
type Faults<Field extends string> = Readonly<Partial<Record<Field, string | undefined>>>;

/** A form under way, for `FormDialog`. */
export interface Form<Field extends string> extends Sending {
  /** What is wrong at each field. */
  readonly errors: Faults<Field>;
  /** Shows the faults from now on. @returns whether there are none */
  readonly check: () => boolean;
}

const isGiven = (entry: readonly [string, unknown]): boolean => entry[1] !== undefined;

/**
 * Brings each fault of a form to its field.
 * @param faults what is wrong with what is typed; shown once the person has tried to send it
 * @param refusedAt the sentences of a refusal at its fields; left out: its own, at the field that it names
 */
export function useForm<Field extends string>(
  { isPending, error = null }: Sending,
  faults: Faults<Field>,
  refusedAt: (problem: Problem) => Faults<Field> = ({ field, sentence }) =>
    (field !== undefined && Object.hasOwn(faults, field) ? { [field]: sentence } : {}) as Faults<Field>,
): Form<Field> {
  const [isTried, setTried] = useState(false);
  const found = Object.entries(faults).filter(isGiven);
  const refused = error === null ? [] : Object.entries(refusedAt(asProblem(error))).filter(isGiven);
  return {
    isPending,
    error: refused.length > 0 ? null : error,
    errors: Object.fromEntries([...refused, ...(isTried ? found : [])]) as Faults<Field>,
    check() {
      setTried(true);
      return found.length === 0;
    },
  };
}

interface FormDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The main button in words: verb and object. */
  readonly action: string;
  readonly look?: ButtonLook;
  /** What is sent, where that takes time: a mutation, or the form of `useForm` around it. */
  readonly sending?: Sending | Form<string>;
  /** While there is nothing to send yet. */
  readonly isDisabled?: boolean;
  /** Called when nothing is wrong with the fields, and not while the one before is under way. */
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

interface ConfirmProps extends Omit<FormDialogProps, 'onSubmit'> {
  readonly onConfirm: () => void;
}

/** @param isForm whether Enter in a field sends, too */
function SendingDialog(props: ConfirmProps & { readonly isForm: boolean }): ReactNode {
  const { title, children, action, look, sending, isDisabled = false, isForm, onConfirm, onClose } = props;
  const main = isForm ? ({ type: 'submit' } as const) : { onClick: onConfirm };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      {...(isForm && { onSubmit: onConfirm })}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={look ?? 'primary'} isPending={sending?.isPending ?? false} disabled={isDisabled} {...main}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      <ProblemLine error={sending?.error} />
    </Dialog>
  );
}

/** A dialog with fields. Below them stands why the service refused, unless a field says it. */
export function FormDialog({ onSubmit, ...others }: FormDialogProps): ReactNode {
  const { sending } = others;
  const submit = (): void => {
    const isComplete = sending === undefined || !('check' in sending) || sending.check();
    if (isComplete && sending?.isPending !== true) onSubmit();
  };
  return <SendingDialog {...others} isForm onConfirm={submit} />;
}

/** Asks before something is done that has consequences. */
export function ConfirmDialog(props: ConfirmProps): ReactNode {
  return <SendingDialog look="danger" {...props} isForm={false} />;
}
