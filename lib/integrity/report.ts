import type { Part } from './remedy.js';

/** Receives each problem. `location` names the document or folder, if there is one. */
export type Report = (part: Part, message: string, location?: string) => void;

/** Receives the number of items checked so far. */
export type OnProgress = (what: 'documents' | 'commits' | 'rows', done: number) => void;
