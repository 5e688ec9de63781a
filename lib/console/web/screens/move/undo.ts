import { newIdempotencyKey } from '../../api/client.ts';
import { showToast } from '../../design/toast.tsx';
import { folderOf, nameOf } from '../../navigation/addresses.ts';
import { relocate, sentenceOf, type Relocation } from './send-relocation.ts';

/** Something that has been renamed or moved. */
export interface Relocated {
  readonly from: string;
  readonly to: string;
}

/** The way back. */
function backOf({ from, to }: Relocated): Relocation {
  return folderOf(from) === folderOf(to)
    ? { type: 'rename', location: to, name: nameOf(from) }
    : { type: 'move', location: to, toFolder: folderOf(from) };
}

/**
 * Takes things back to where they were. Access that somebody would get by that is not given without asking.
 * @param onBack what is back
 */
export async function undo(
  workspace: string,
  relocated: readonly Relocated[],
  onBack: (back: readonly Relocated[]) => void,
): Promise<void> {
  const back: Relocated[] = [];
  for (const each of relocated.toReversed()) {
    const outcome = await relocate(workspace, backOf(each), newIdempotencyKey());
    if (outcome.state === 'done') back.push({ from: each.to, to: outcome.to });
    else {
      const why =
        outcome.state === 'widens'
          ? 'Others would get access by that. Move it yourself, and look at the report.'
          : sentenceOf(outcome.problem);
      showToast({ text: `${nameOf(each.to)} is not back. ${why}`, tone: 'danger' });
    }
  }
  if (back.length > 0) onBack(back);
}
