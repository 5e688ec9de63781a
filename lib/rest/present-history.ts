import { formatTime } from '../domain/clock.js';
import type { HistoryEntry } from '../domain/history.js';
import type { TextDiff } from '../text/text-diff.js';
import type { ComparedVersions } from '../operations/history/compare-versions.js';
import { answerJson, type Answer } from './answer.js';
import { presentAuthor, presentVersion } from './present-document.js';

/** The description's `HistoryEntry`. */
export function presentHistoryEntry(entry: HistoryEntry): object {
  const when = { at: formatTime(entry.at), principal: presentAuthor(entry.author) };
  switch (entry.type) {
    case 'version': {
      const { type, operation, location, version } = entry;
      const { kind, mediaType, size } = version;
      return {
        type,
        operation,
        ...when,
        location,
        version: presentVersion(version),
        kind,
        media_type: mediaType,
        size,
      };
    }
    case 'relocation': {
      const { type, operation, of, from, to } = entry;
      return { type, operation, of, ...when, from, to };
    }
    case 'deletion': {
      const { type, of, location } = entry;
      return { type, operation: 'delete', of, ...when, location };
    }
  }
}

function presentTextDiff({ added, removed, isShortest, hunks }: TextDiff): object {
  return {
    added,
    removed,
    is_shortest: isShortest,
    hunks: hunks.map(({ fromLine, fromLines, toLine, toLines, lines }) => ({
      from_line: fromLine,
      from_lines: fromLines,
      to_line: toLine,
      to_lines: toLines,
      lines: lines.map(({ kind, from, to, text, parts, isEnded }) => ({
        kind,
        from,
        to,
        text,
        parts: parts?.map((part) => ({ text: part.text, is_changed: part.isChanged })) ?? null,
        is_ended: isEnded,
      })),
    })),
  };
}

/** The description's `Diff`. */
export function presentDiff({ document, from, to, isSame, diff, why }: ComparedVersions): Answer {
  return answerJson(200, {
    location: document.location,
    from: from === null ? null : presentVersion(from),
    to: presentVersion(to),
    is_same: isSame,
    not_compared_because: why,
    diff: diff === null ? null : presentTextDiff(diff),
  });
}
