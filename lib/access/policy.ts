import { defaultPolicy, type Policy } from '../domain/policy.js';
import type { Tables } from '../sidecar/tables.js';

let lastText: string | undefined;
let lastPolicy: Policy = defaultPolicy;

/** The workspace's policy as it stands: what an admin set over the defaults. */
export function readPolicy(tables: Tables): Policy {
  const text = tables.meta.get('policy');
  if (text === undefined) return defaultPolicy;
  // Parsing is remembered by the text itself, which cannot be stale.
  if (text !== lastText) {
    lastPolicy = { ...defaultPolicy, ...(JSON.parse(text) as Partial<Policy>) };
    lastText = text;
  }
  return lastPolicy;
}

/** Stores the whole policy. @returns what was in force before */
export function writePolicy(tables: Tables, policy: Policy): Policy {
  const before = readPolicy(tables);
  tables.meta.set('policy', JSON.stringify(policy));
  return before;
}
