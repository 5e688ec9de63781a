import { useQuery } from '@tanstack/react-query';
import { FileText as FileIcon } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { apiAddress, request } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { ProblemLine, Skeleton } from '../../design/state.tsx';
import { useMarkdown } from '../../markdown/use-markdown.ts';
import { encodeLocation } from '../../navigation/addresses.ts';
import { placeOf } from './place-of.ts';
import { Rendered } from './rendered.tsx';
import { TextState } from './text-state.tsx';
import type { Reading } from './use-reading.ts';

/** Characters of a text that are shown: a page with all of a long one would take seconds. */
const longest = 300_000;

/**
 * The text that is made of a file such as a PDF, page by page, or why there is none. It is asked for only when somebody
 * wants it, since that is a reading on record, or where the address names a section of it.
 */
export function FileText({ workspace, reading }: { workspace: string; reading: Reading }): ReactNode {
  const { location, version, text } = reading.document;
  const state = text !== undefined && <TextState workspace={workspace} reading={reading} text={text} />;
  const [isWanted, setWanted] = useState(window.location.hash !== '');
  const { data, error } = useQuery({
    queryKey: ['text', workspace, location, version.id],
    queryFn: async ({ signal }) => {
      const address = `/texts/${encodeLocation(location)}?version=${encodeURIComponent(version.id)}`;
      return (await request(apiAddress(workspace, address), { signal })).text();
    },
    enabled: isWanted,
    retry: false,
    staleTime: Infinity,
  });
  const place = useMemo(() => placeOf(workspace, location), [workspace, location]);
  const { rendered } = useMarkdown(data?.slice(0, longest) ?? null, place);
  if (text?.state === 'none' || text?.state === 'failed') return state;
  if (!isWanted) {
    return (
      <div className="stack">
        {state}
        <p className="cluster">
          <Button onClick={() => setWanted(true)}>
            <FileIcon aria-hidden />
            Show its text
          </Button>
        </p>
      </div>
    );
  }
  if (error !== null) return <ProblemLine error={error} />;
  if (rendered === undefined || data === undefined) return <Skeleton lines={10} label="Making its text" />;
  return (
    <section aria-label="Text of the file">
      <Rendered html={rendered.html} />
      {data.length > longest && (
        <p className="soft small">This is the beginning. The search finds words of all of it.</p>
      )}
    </section>
  );
}
