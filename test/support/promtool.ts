import { spawnSync } from 'node:child_process';
import { skipBecause } from './skip.js';

/** Skips where Prometheus's promtool is missing. */
export function needPromtool(context: Mocha.Context): void {
  if (spawnSync('promtool', ['--version']).error !== undefined) skipBecause(context, 'promtool is not installed');
}

/** Runs promtool. @returns its exit code and all that it said */
export function promtool(
  parameters: readonly string[],
  input = '',
): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', parameters, { input, encoding: 'utf8' });
  return { code: status, said: stdout + stderr };
}

/** One number of a scrape. */
export interface Sample {
  /** With its labels, as it was written. */
  readonly series: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The numbers in a text of Prometheus's form. */
export function readSamples(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, inner = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const labels = [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', said = '']) => [label, said]);
    const series = inner === '' ? name : `${name}{${inner}}`;
    return [{ series, name, labels: Object.fromEntries(labels) as Sample['labels'], value: Number(value) }];
  });
}

/** The value of a number with these labels, among others; undefined where there is none. */
export function valueOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  return readSamples(text).find(
    (each) => each.name === name && Object.entries(labels).every(([label, value]) => each.labels[label] === value),
  )?.value;
}
