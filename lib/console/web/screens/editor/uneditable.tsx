import { FileX2, Upload } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button, LinkButton } from '../../design/button.tsx';
import { ProblemLine, State } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { largestEdited, uploadVersion, type CannotEdit } from './document-text.ts';

const reasons: Readonly<Record<CannotEdit['why'], { readonly title: string; readonly text: string }>> = {
  binary: {
    title: 'This document is not text',
    text: 'It can be replaced by a file from your computer. Its older versions stay.',
  },
  'not-utf8': {
    title: 'This text is not in UTF-8',
    text: 'The editor would change bytes that you did not touch. Change the file on your computer, then upload it. Its older versions stay.',
  },
  'too-large': {
    title: 'This document is too large to edit here',
    text: `The editor takes up to ${largestEdited / 1024 ** 2} MiB. Change the file on your computer, then upload it. Its older versions stay.`,
  },
};

interface UneditableProps {
  readonly workspace: string;
  readonly location: string;
  readonly why: CannotEdit;
}

/** A document that the editor does not open: what can be done instead. */
export function Uneditable({ workspace, location, why }: UneditableProps): ReactNode {
  const [, navigate] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const { title, text } = reasons[why.why];
  const address = addressOf.document(workspace, location);
  const upload = async (file: File): Promise<void> => {
    setPending(true);
    setError(undefined);
    try {
      await uploadVersion(workspace, location, file, why.etag);
      showToast({ text: 'The new version is uploaded.' });
      navigate(address);
    } catch (problem) {
      setError(problem);
      setPending(false);
    }
  };
  return (
    <State
      icon={FileX2}
      title={title}
      actions={
        <>
          <Button look="primary" icon={Upload} isPending={isPending} onClick={() => input.current?.click()}>
            Upload a new version
          </Button>
          <LinkButton href={address}>Open the document</LinkButton>
        </>
      }
    >
      <p>{text}</p>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File of the new version"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          if (file !== undefined) void upload(file);
        }}
      />
      <ProblemLine error={error} />
    </State>
  );
}
