import type { ReactNode } from 'react';
import { explainNoText } from '../../../../domain/extraction.ts';
import { Badge, type BadgeTone } from '../../design/badge.tsx';
import type { Reading } from './use-reading.ts';

type State = NonNullable<Reading['document']['text']>;

const chips: Readonly<Record<State['state'], readonly [tone: BadgeTone, words: string]>> = {
  none: ['neutral', 'No text'],
  waiting: ['info', 'Text is being read'],
  done: ['success', 'Text can be searched'],
  failed: ['warning', 'No text'],
};

/** How far the text of a file is, as a chip and a sentence. */
export function TextState({ text }: { text: State }): ReactNode {
  const [tone, words] = chips[text.state];
  return (
    <p className="cluster">
      <Badge tone={tone}>{words}</Badge>
      <span className="soft small">{sentenceOf(text)}</span>
    </p>
  );
}

function sentenceOf({ state, reason, pages, is_cut }: State): string {
  if (state === 'none') return 'Text is not read from files of its kind. The search finds it by its name and labels.';
  if (state === 'waiting') return 'The search finds its words when that is done, and its name and labels already now.';
  if (state === 'failed') return reason === undefined ? '' : explainNoText(reason);
  const parts = pages === undefined ? '' : `${pages} ${pages === 1 ? 'part' : 'parts'}. `;
  return is_cut === true ? `${parts}The file holds more text than is read of one document.` : parts.trim();
}
