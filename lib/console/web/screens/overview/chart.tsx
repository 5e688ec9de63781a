import { useId, type ReactNode } from 'react';

export interface Bar {
  /** The span in words. */
  readonly name: string;
  /** Its beginning in a few characters, for the axis. */
  readonly short: string;
  readonly count: number;
}

interface ChartProps {
  /** What is counted. */
  readonly title: string;
  readonly bars: readonly Bar[];
}

const height = 48;
const step = 10;
const barWidth = 7;

const numbers = new Intl.NumberFormat();

/** A small chart of one count over time. Its sum and highest bar stand beside it in words; the table has the rest. */
export function Chart({ title, bars }: ChartProps): ReactNode {
  const id = useId();
  const sum = bars.reduce((total, { count }) => total + count, 0);
  const highest = bars.reduce<Pick<Bar, 'name' | 'count'>>((most, bar) => (bar.count > most.count ? bar : most), {
    name: '',
    count: 0,
  });
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>
        <span className="chart-title">
          <strong>{title}</strong> <span>{numbers.format(sum)} in all</span>
        </span>
        <span className="soft small">
          {highest.count === 0 ? 'None in this time' : `Most: ${numbers.format(highest.count)}, ${highest.name}`}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${bars.length * step} ${height}`} preserveAspectRatio="none" aria-hidden>
        <line x1="0" y1={height - 0.5} x2={bars.length * step} y2={height - 0.5} className="chart-ground" />
        {bars.map(({ name, count }, index) => {
          const size = highest.count === 0 ? 0 : Math.max(count === 0 ? 0 : 2, (count / highest.count) * (height - 2));
          return (
            <rect
              key={name}
              x={index * step + 1.5}
              y={height - size}
              width={barWidth}
              height={size}
              className="chart-bar"
            >
              <title>{`${name}: ${numbers.format(count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="chart-axis soft small" aria-hidden>
        <span>{bars[0]?.short}</span>
        <span>{bars.at(-1)?.short}</span>
      </div>
    </figure>
  );
}

/** The same counts as a table, for those who read rather than look. */
export function ChartTable({
  caption,
  columns,
  rows,
}: {
  caption: string;
  columns: readonly string[];
  rows: readonly { readonly name: string; readonly counts: readonly number[] }[];
}): ReactNode {
  return (
    <details className="chart-table">
      <summary>{caption}</summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it */}
      <div className="chart-scroll" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, counts }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {counts.map((count, index) => (
                  <td key={columns[index]}>{numbers.format(count)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
