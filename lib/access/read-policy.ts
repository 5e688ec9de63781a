import { defaultPolicy, type Policy } from '../domain/policy.js';
import type { Tables } from '../sidecar/tables.js';

let lastText: string | undefined;
let lastPolicy: Policy = defaultPolicy;

/** The workspace's present policy: an admin's settings over the defaults. */
export function readPolicy(tables: Tables): Policy {
  const text = tables.meta.get('policy');
  if (text === undefined) return defaultPolicy;
  // The memory of the parsed policy is keyed by the text itself, so it cannot be stale.
  if (text !== lastText) {
    lastPolicy = { ...defaultPolicy, ...(JSON.parse(text) as Partial<Policy>) };
    lastText = text;
  }
  return lastPolicy;
}

/** What people and agents see as the name of a workspace. Keys, addresses and records have the name itself. */
export function readTitle(tables: Tables, name: string): string {
  return readPolicy(tables).workspaceTitle ?? name;
}

/** Stores the whole policy. @returns the policy before */
export function writePolicy(tables: Tables, policy: Policy): Policy {
  const before = readPolicy(tables);
  tables.meta.set('policy', JSON.stringify(policy));
  return before;
}
