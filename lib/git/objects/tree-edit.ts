import { runAtOnce, type Steps } from '../../scheduling/in-steps.js';
import type { Oid } from './objects.js';
import { Tree } from './tree.js';
import type { TreeEntry } from './tree.js';

/**
 * One change below a root: the new entry at `path`, or null to remove it. An entry of mode `40000` puts a whole folder
 * there, unopened.
 */
export interface TreeEdit {
  path: readonly string[];
  entry: TreeEntry | null;
}

/** The edits of one name, grouped by the next name below it. */
interface Branch {
  entry: TreeEntry | null | undefined;
  below: Map<string, Branch>;
}

/**
 * Applies edits together and makes each touched folder once. So the cost grows with the folders touched and not with
 * edits times width.
 *
 * Of two edits of one path the last one counts. An edit of a path comes before edits below that path, whatever their
 * order in the list: a folder can be put somewhere and changed there in one go. Folders that become empty vanish, up to
 * the root, which may be the empty tree.
 *
 * @param root the tree to start from; null for nothing.
 * @param load gives a tree by its oid, synchronously; its errors (`MissingObject`) pass through, and nothing has been
 * changed then.
 * @returns the new root, and the trees to store for it, children first; none when nothing changed.
 * @throws Error when an edit would put something below a file.
 */
export function editTree(root: Oid | null, edits: readonly TreeEdit[], load: (oid: Oid) => Tree): EditedTree {
  return runAtOnce(editTreeInSteps(root, edits, load));
}

/** The root after the edits, and the trees to store for it. */
export interface EditedTree {
  readonly root: Oid;
  /** Children first; none when nothing changed. */
  readonly created: Tree[];
}

/** The same for many edits, with a step for each folder. */
export function* editTreeInSteps(
  root: Oid | null,
  edits: readonly TreeEdit[],
  load: (oid: Oid) => Tree,
): Steps<EditedTree> {
  const created = new Map<Oid, Tree>();

  function* apply(branch: Branch, before: TreeEntry | undefined, path: readonly string[]): Steps<TreeEntry | null> {
    const base = branch.entry === undefined ? (before ?? null) : branch.entry;
    if (branch.below.size === 0) return leafOf(branch, before);
    if (base !== null && base.mode !== '40000') {
      if (!puts(branch)) return base;
      throw new Error(`${path.join('/')} is a file and can hold nothing.`);
    }
    const tree = base === null ? Tree.empty : loadTree(base.oid, load);
    const changes: [string, TreeEntry | null][] = [];
    for (const [name, child] of branch.below) {
      const old = tree.entry(name);
      const now = child.below.size === 0 ? leafOf(child, old) : yield* apply(child, old, [...path, name]);
      if (old?.oid !== now?.oid || old?.mode !== now?.mode) changes.push([name, now]);
      yield;
    }
    if (changes.length === 0) return base;
    const edited = tree.withAll(changes);
    yield;
    if (edited.size === 0) return null;
    created.set(edited.oid, edited);
    return { mode: '40000', oid: edited.oid };
  }

  const before: TreeEntry | undefined = root === null ? undefined : { mode: '40000', oid: root };
  const after = yield* apply(yield* groupByFolder(edits), before, []);
  if (after !== null && after.mode !== '40000') throw new Error('The root can only be a folder.');
  if (after === null && root !== Tree.empty.oid) created.set(Tree.empty.oid, Tree.empty);
  return { root: after?.oid ?? Tree.empty.oid, created: [...created.values()] };
}

/** The entry at a path without edits below it. */
function leafOf({ entry }: Branch, before: TreeEntry | undefined): TreeEntry | null {
  const base = entry === undefined ? (before ?? null) : entry;
  return isEmptyFolder(base) ? null : base;
}

function* groupByFolder(edits: readonly TreeEdit[]): Steps<Branch> {
  const root: Branch = { entry: undefined, below: new Map() };
  for (const { path, entry } of edits) {
    yield;
    let branch = root;
    for (const name of path) {
      let next = branch.below.get(name);
      if (next === undefined) {
        next = { entry: undefined, below: new Map() };
        branch.below.set(name, next);
      }
      branch = next;
    }
    branch.entry = entry;
  }
  return root;
}

/** Whether any edit below puts an entry, and not only removes one. */
function puts(branch: Branch): boolean {
  for (const child of branch.below.values())
    if ((child.entry !== undefined && child.entry !== null) || puts(child)) return true;
  return false;
}

/** The empty tree is known without looking: it may be stored nowhere. */
function loadTree(oid: Oid, load: (oid: Oid) => Tree): Tree {
  return oid === Tree.empty.oid ? Tree.empty : load(oid);
}

function isEmptyFolder(entry: TreeEntry | null): boolean {
  return entry?.mode === '40000' && entry.oid === Tree.empty.oid;
}
