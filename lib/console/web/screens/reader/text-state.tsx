import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { announce } from '../../design/announce.tsx';
import { explainNoText } from '../../../../domain/extraction.ts';
import { Badge, type BadgeTone } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ProblemLine } from '../../design/state.tsx';
import { useReadAgain, type Reading } from './use-reading.ts';

type State = NonNullable<Reading['document']['text']>;

const chips: Readonly<Record<State['state'], readonly [tone: BadgeTone, words: string]>> = {
  none: ['neutral', 'No text'],
  waiting: ['info', 'Text is being read'],
  done: ['success', 'Text can be searched'],
  failed: ['warning', 'No text'],
};

interface TextStateProps {
  readonly workspace: string;
  readonly reading: Reading;
  readonly text: State;
}

/** How far the text of a file is, as a chip and a sentence. Editors can have it tried again where it failed. */
export function TextState({ workspace, reading, text }: TextStateProps): ReactNode {
  const [tone, words] = chips[text.state];
  const { location } = reading.document;
  const readAgain = useReadAgain(workspace, location);
  const attempts = useAttempts();
  const retry = useMutation({
    mutationFn: () => {
      const header = { 'Idempotency-Key': attempts.keyFor({ location }) };
      return dataOf(apiOf(workspace).POST('/texts/{location}', { params: { header, path: { location } } }));
    },
    onSuccess: async () => {
      attempts.done();
      await readAgain();
      announce('The text is made again.');
    },
  });
  const mayRetry = text.state === 'failed' && reading.role !== 'reader' && !isFinal(text.reason);
  return (
    <>
      <p className="cluster">
        <Badge tone={tone}>{words}</Badge>
        <span className="soft small">{sentenceOf(text)}</span>
        {mayRetry && (
          <Button size="small" isPending={retry.isPending} onClick={() => retry.mutate()}>
            Try again
          </Button>
        )}
      </p>
      {retry.error !== null && <ProblemLine error={retry.error} />}
    </>
  );
}

/** Whether it lies in the file alone. */
const isFinal = (reason: State['reason']): boolean =>
  reason === 'no_text' || reason === 'encrypted' || reason === 'old_format';

function sentenceOf({ state, reason, pages, is_cut }: State): string {
  if (state === 'none') return 'Text is not read from files of its kind. The search finds it by its name and labels.';
  if (state === 'waiting') return 'The search finds its words when that is done, and its name and labels already now.';
  if (state === 'failed') return reason === undefined ? '' : explainNoText(reason);
  const parts = pages === undefined ? '' : `${pages} ${pages === 1 ? 'part' : 'parts'}. `;
  return is_cut === true ? `${parts}The file holds more text than is read of one document.` : parts.trim();
}
