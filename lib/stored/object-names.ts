/** The names of all objects in the bucket, below its prefix. What has another name is not ours. */

/** A file with a history: a workspace by its name, or the service's file. */
export const serviceShard = '_service';

export type ObjectName =
  | { readonly kind: 'format' }
  | { readonly kind: 'current' }
  | { readonly kind: 'life'; readonly life: string }
  | ({ readonly kind: 'set'; readonly epoch: number; readonly first: number; readonly last: number } & InLife)
  /** `at`: milliseconds since 1970 of the point. */
  | ({ readonly kind: 'point'; readonly epoch: number; readonly last: number; readonly at: number } & InLife)
  /** A file beside the sidecar: `packs/pack-1f….pack`, `blobs/1f…` or `audit/…`. */
  | ({ readonly kind: 'file'; readonly file: string } & InLife)
  | ({ readonly kind: 'key'; readonly generation: number } & InLife);

interface InLife {
  readonly shard: string;
  /** 32 hexadecimal digits. */
  readonly life: string;
}

/** As workspaces are named, and the service's file. */
const shardForm = /^(?:_service|[a-z0-9][a-z0-9-]{0,38})$/;
const lifeForm = /^[0-9a-f]{32}$/;
const fileForms: Readonly<Record<string, RegExp>> = {
  packs: /^pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\.pack$/,
  blobs: /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/,
  audit: /^[0-9A-Za-z][0-9A-Za-z._-]{0,199}$/,
};
const numberForm = /^(?:0|[1-9][0-9]{0,15})$/;

/**
 * The name of an object.
 * @throws Error for what cannot be named, such as a workspace with a `/`
 */
export function formatObjectName(object: ObjectName): string {
  const name = write(object);
  if (parseObjectName(name) === undefined) throw new Error(`No object of a bucket can be named ${name}.`);
  return name;
}

function write(object: ObjectName): string {
  switch (object.kind) {
    case 'format':
    case 'current':
      return `${object.kind}.json`;
    case 'life':
      return `lives/${object.life}.json`;
    case 'key':
      return `${underLife(object)}keys/${object.generation}`;
    case 'set':
      return `${underEpoch(object)}sets/${object.first}-${object.last}.set`;
    case 'point':
      return `${underEpoch(object)}points/${object.last}-${object.at}.json`;
    case 'file':
      return `${underLife(object)}${object.file}`;
  }
}

/** What the names of all objects of a life begin with. */
export function underLife({ shard, life }: InLife): string {
  return `${shard}/${life}/`;
}

/** What the names of all sets and points of an epoch begin with. */
export function underEpoch({ epoch, ...inLife }: InLife & { readonly epoch: number }): string {
  return `${underLife(inLife)}${epoch}/`;
}

/** What the names of all objects of a shard begin with. */
export function underShard(shard: string): string {
  return `${shard}/`;
}

/** @returns undefined for a name that is not ours */
export function parseObjectName(name: string): ObjectName | undefined {
  if (name === 'format.json') return { kind: 'format' };
  if (name === 'current.json') return { kind: 'current' };
  const life = /^lives\/([0-9a-f]{32})\.json$/.exec(name)?.[1];
  if (life !== undefined) return { kind: 'life', life };
  const [shard = '', ...below] = name.split('/');
  if (!shardForm.test(shard)) return undefined;
  const [second = '', third = '', fourth = '', fifth = ''] = below;
  if (!lifeForm.test(second)) return undefined;
  const inLife = { shard, life: second };
  if (below.length === 3) return parseInLife(inLife, third, fourth);
  const epoch = readNumber(third);
  if (below.length !== 4 || epoch === undefined || epoch === 0) return undefined;
  if (fourth === 'sets') {
    const [first, last] = readTwo(fifth, '.set') ?? [];
    if (first === undefined || last === undefined || first > last) return undefined;
    return { kind: 'set', ...inLife, epoch, first, last };
  }
  if (fourth !== 'points') return undefined;
  const [last, at] = readTwo(fifth, '.json') ?? [];
  return last === undefined || at === undefined ? undefined : { kind: 'point', ...inLife, epoch, last, at };
}

function parseInLife(inLife: InLife, folder: string, file: string): ObjectName | undefined {
  if (folder === 'keys') {
    const generation = readNumber(file);
    return generation === undefined || generation === 0 ? undefined : { kind: 'key', ...inLife, generation };
  }
  const isFile = Object.hasOwn(fileForms, folder) && fileForms[folder]?.test(file) === true;
  return isFile ? { kind: 'file', ...inLife, file: `${folder}/${file}` } : undefined;
}

function withoutEnd(text: string, end: string): string | undefined {
  return text.endsWith(end) ? text.slice(0, -end.length) : undefined;
}

function readTwo(text: string, end: string): readonly [number, number] | undefined {
  const [one = '', two = '', ...more] = (withoutEnd(text, end) ?? '').split('-');
  const [first, second] = [readNumber(one), readNumber(two)];
  return first === undefined || second === undefined || more.length > 0 ? undefined : [first, second];
}

function readNumber(text: string): number | undefined {
  const number = numberForm.test(text) ? Number(text) : undefined;
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
}
