import type { Part } from './remedy.js';

/** Receives each problem. `location` names the document or folder where there is one. */
export type Report = (part: Part, message: string, location?: string) => void;

/** Receives the number of items that have been checked so far. */
export type TellProgress = (what: 'documents' | 'commits' | 'rows', done: number) => void;
