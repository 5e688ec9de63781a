import { useState } from 'react';
import type { Sort } from './queries.ts';

const key = 'cartulary-sort';
const sorts: readonly Sort[] = ['name', 'name-down', 'newest', 'oldest'];

/** The order of lists: the person's last choice in this browser. */
export function useSort(): readonly [Sort, (sort: Sort) => void] {
  const [sort, setSort] = useState(() => sorts.find((each) => each === localStorage.getItem(key)) ?? 'name');
  const choose = (to: Sort): void => {
    localStorage.setItem(key, to);
    setSort(to);
  };
  return [sort, choose];
}
