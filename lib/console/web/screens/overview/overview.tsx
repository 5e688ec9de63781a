import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../design/copy-button.tsx';
import { formatClock } from '../../design/day.ts';
import { Page, Panel } from '../../design/page.tsx';
import { Segments } from '../../design/segments.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { formatExact, Time } from '../../design/time.tsx';
import { addressOf, base } from '../../navigation/addresses.ts';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { formatSize } from '../../design/format-size.ts';
import { Chart, ChartTable } from './chart.tsx';
import { findTroubles } from './problems.ts';
import { Waiting } from './waiting.tsx';
import { useOverview, type Activity, type Overview as Found } from './overview-queries.ts';

/** How the workspace is, on one page, for its admins. */
export function Overview({ workspace }: ScreenProps): ReactNode {
  const overview = useOverview(workspace);
  const { data: found, error } = overview;
  return (
    <Page title="Overview">
      {found === undefined ? (
        error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ProblemState error={error} onRetry={() => void overview.refetch()} />
        )
      ) : (
        <div className="stack">
          <Troubles workspace={workspace} found={found} />
          <Waiting found={found} />
          <ActivityPanel found={found} />
          <Storage found={found} />
          <State workspace={workspace} found={found} />
          <Backup workspace={workspace} found={found} />
        </div>
      )}
    </Page>
  );
}

function Troubles({ workspace, found }: { workspace: string; found: Found }): ReactNode {
  const troubles = findTroubles(workspace, found);
  return (
    <Panel title={troubles.length === 0 ? 'Everything is well' : 'What needs you'} isFlush>
      {troubles.length === 0 ? (
        <p className="overview-well">
          <CircleCheck aria-hidden /> Writes, repository, search, mirrors and webhooks work.
        </p>
      ) : (
        <ul className="rows" aria-label="What needs you">
          {troubles.map(({ what, remedy, href }) => (
            <li key={what} className="overview-trouble">
              <TriangleAlert aria-hidden />
              <div>
                <p>
                  <bdi>{what}</bdi>
                </p>
                <p className="soft small">{remedy}</p>
              </div>
              {href !== undefined && <Link href={href}>Show</Link>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

const series = [
  { key: 'reads', title: 'Reads' },
  { key: 'changes', title: 'Changes' },
  { key: 'refused', title: 'Refused' },
] as const;

const shortDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const dayName = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

function ActivityPanel({ found }: { found: Found }): ReactNode {
  const [span, setSpan] = useState<'hours' | 'days'>('hours');
  const nameOf = ({ from }: Activity): string =>
    span === 'hours' ? formatExact(from) : dayName.format(new Date(from));
  const shortOf = ({ from }: Activity): string =>
    span === 'hours' ? formatClock(from) : shortDay.format(new Date(from));
  const spans = found[span];
  return (
    <Panel
      title="Activity"
      actions={
        <Segments
          label="Span"
          value={span}
          onChange={setSpan}
          options={[
            { value: 'hours', label: '24 hours' },
            { value: 'days', label: '14 days' },
          ]}
        />
      }
    >
      <div className="overview-charts">
        {series.map(({ key, title }) => (
          <Chart
            key={key}
            title={title}
            bars={spans.map((each) => ({ name: nameOf(each), short: shortOf(each), count: each[key] }))}
          />
        ))}
      </div>
      <ChartTable
        caption="The same as a table"
        columns={series.map(({ title }) => title)}
        rows={spans.map((each) => ({ name: nameOf(each), counts: series.map(({ key }) => each[key]) }))}
      />
      <p className="soft small">From the audit log. Days are those of UTC. Records in an archive are not counted.</p>
    </Panel>
  );
}

function Storage({ found }: { found: Found }): ReactNode {
  const { used, quota } = found.storage;
  const share = quota === 0 ? 1 : used / quota;
  const words = `${formatSize(used)} of ${formatSize(quota)}, ${share < 0.01 ? 'less than 1' : Math.round(share * 100)} %`;
  return (
    <Panel title="Storage">
      <p id="storage-used">{words}</p>
      <meter
        className="overview-meter"
        aria-labelledby="storage-used"
        min={0}
        max={1}
        high={0.9}
        value={Math.min(1, share)}
      >
        {words}
      </meter>
      <p className="soft small">All versions, comments and messages, as they count towards the quota.</p>
    </Panel>
  );
}

function State({ workspace, found }: { workspace: string; found: Found }): ReactNode {
  const { repository, search, audit, erases } = found;
  return (
    <Panel title="State">
      <dl className="facts">
        <dt>Repository</dt>
        <dd>
          {repository.objects === 0
            ? 'It holds everything that was saved.'
            : `${repository.objects} objects (${formatSize(repository.bytes)}) are on their way into it.`}
        </dd>
        <dt>Search</dt>
        <dd>{describeSearch(search)}</dd>
        <dt>Erases</dt>
        <dd>
          {erases.open === 0 ? 'None is under way.' : `${erases.open} under way.`}{' '}
          <Link href={addressOf.erasures(workspace)}>Receipts</Link>
        </dd>
        <dt>Audit log</dt>
        <dd>
          {`${audit.seq} records. `}
          {audit.checkpoint === null ? (
            'No checkpoint was signed yet.'
          ) : (
            <>
              Signed up to record {audit.checkpoint.seq}, <Time at={audit.checkpoint.at} />.
            </>
          )}{' '}
          <Link href={addressOf.auditCheck(workspace)}>Audit log</Link>
        </dd>
      </dl>
    </Panel>
  );
}

function describeSearch({ state, done, documents }: Found['search']): string {
  const progress = done === null || documents === null ? '' : ` ${done} of ${documents} documents are done.`;
  if (state === 'ready') return 'It finds everything that was saved.';
  if (state === 'broken') return 'It does not work.';
  return `${state === 'building' ? 'Its index is being built.' : 'It works, while its index is built again.'}${progress}`;
}

function Backup({ workspace, found }: { workspace: string; found: Found }): ReactNode {
  const { backed_up_at: at } = found;
  const backup = 'cartulary backup FOLDER --passphrase-file FILE';
  const clone = `git clone ${window.location.origin}${base}/git/${workspace}`;
  return (
    <Panel title="Backup">
      <div className="stack">
        <p>
          {at === null ? (
            'No backup is on record.'
          ) : (
            <>
              The last one was made <Time at={at} />.
            </>
          )}
        </p>
        <Command text={backup} says="On the machine of the service: everything, sealed with your passphrase." />
        <Command
          text={clone}
          says="Anywhere: the documents that you reach, with their history. It needs a key for git."
        />
      </div>
    </Panel>
  );
}

function Command({ text, says }: { text: string; says: string }): ReactNode {
  return (
    <div>
      <p className="soft small">{says}</p>
      <p className="overview-command">
        <code>{text}</code>
        <CopyButton text={text} label="Copy command" />
      </p>
    </div>
  );
}
