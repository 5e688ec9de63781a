import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { readFilters, type Filters } from './filters.ts';

/** The filters in the address, and the way to change them. An empty text takes a filter away. */
export function useFilters(): [Filters, (change: Filters) => void] {
  const [parameters, setParameters] = useSearchParams();
  const text = parameters.toString();
  const filters = useMemo(() => readFilters(new URLSearchParams(text)), [text]);
  const change = (changed: Filters): void =>
    setParameters((before) => {
      const after = new URLSearchParams(before);
      for (const [name, value] of Object.entries(changed)) {
        if (value === undefined) after.delete(name);
        else after.set(name, value);
      }
      return after;
    });
  return [filters, change];
}
