import type { AuditRecord, AuditText } from '../domain/audit-record.js';
import { commitTo } from './canonical-record.js';

/** Three times U+FFFD: the form in which earlier builds exported a committed U+FFFD (decision 0100). */
const exportedByEarlierBuilds = /\ufffd{3}/g;

/**
 * Whether a text matches its record's commitment. A target has a second reading. Earlier builds exported half of a
 * surrogate pair as three times U+FFFD, and had committed to one U+FFFD. The commitment decides here, too, so this
 * excuses no other difference.
 * @returns `altered` where the second reading holds; a problem, which goes on from the record's number, where none does
 */
export function judgeText(
  record: Pick<AuditRecord, 'target' | 'detail'>,
  { salt, target, detail }: Omit<AuditText, 'seq'>,
): 'as committed' | 'altered' | { readonly problem: string } {
  const key = Buffer.from(salt, 'hex');
  const isCommitted = (text: string | null, commitment: string | null): boolean =>
    text === null || commitTo(text, key).toString('hex') === commitment;
  if (!isCommitted(detail, record.detail)) return notTheText('detail');
  if (isCommitted(target, record.target)) return 'as committed';
  const second = target?.replace(exportedByEarlierBuilds, '\ufffd') ?? null;
  return second !== target && isCommitted(second, record.target) ? 'altered' : notTheText('target');
}

const notTheText = (part: 'target' | 'detail'): { readonly problem: string } => ({
  problem: `the text kept for its ${part} is not the one it commits to`,
});
