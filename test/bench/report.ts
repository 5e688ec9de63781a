import { cpus, totalmem } from 'node:os';

/** One figure beside its baseline from the same run. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The baseline; none for a plain measurement. */
  readonly baseline?: { readonly name: string; readonly value: number };
  readonly goal?: string;
  readonly note?: string;
}

const round = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** Prints each figure as it comes, as JSON Lines, and all of them as a table at the end. */
export class Report {
  readonly #figures: Figure[] = [];

  add(figure: Figure): void {
    this.#figures.push(figure);
    process.stdout.write(`${JSON.stringify(figure)}\n`);
  }

  print(): void {
    const model = cpus()[0]?.model ?? 'unknown processor';
    const gigabytes = Math.round(totalmem() / 1024 ** 3);
    process.stdout.write(`\n${cpus().length} × ${model}, ${gigabytes} GiB, Node ${process.version}\n\n`);
    process.stdout.write(
      '| what | measured | baseline in the same run | ratio | goal |\n| --- | --- | --- | --- | --- |\n',
    );
    for (const { what, value, unit, baseline, goal, note } of this.#figures) {
      const ratio = baseline === undefined ? '' : (value / baseline.value).toFixed(2);
      const beside = baseline === undefined ? '' : `${round(baseline.value)} ${unit} (${baseline.name})`;
      const remark = note === undefined ? '' : ` (${note})`;
      process.stdout.write(`| ${what}${remark} | ${round(value)} ${unit} | ${beside} | ${ratio} | ${goal ?? ''} |\n`);
    }
  }
}
