import { UnfoldVertical } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../../design/button.tsx';

/** Lines shown beside a change. */
const context = 3;
/** Fewer lines are shown rather than folded. */
const fewest = 5;
/** Lines shown at once: more would make the page slow. */
const atOnce = 2000;

/** Lines that neither side changed. Only those beside a change are shown at first. */
export function SamePart({
  lines,
  isFirst,
  isLast,
}: {
  lines: readonly string[];
  isFirst: boolean;
  isLast: boolean;
}): ReactNode {
  const [shown, setShown] = useState(0);
  const before = isFirst ? 0 : context + shown;
  const after = isLast ? 0 : context;
  const hidden = lines.length - before - after;
  if (hidden < fewest) return <Lines lines={lines} />;
  return (
    <>
      <Lines lines={lines.slice(0, before)} />
      <Button size="small" look="quiet" icon={UnfoldVertical} className="fold" onClick={() => setShown(shown + atOnce)}>
        Show {hidden} unchanged lines
      </Button>
      <Lines lines={lines.slice(lines.length - after)} />
    </>
  );
}

function Lines({ lines }: { lines: readonly string[] }): ReactNode {
  return lines.length === 0 ? null : (
    <pre className="same" dir="auto">
      {lines.join('')}
    </pre>
  );
}
