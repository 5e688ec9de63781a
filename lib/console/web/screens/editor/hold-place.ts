/**
 * Where a place is edited in this browser: one tab at a time, since they share its draft.
 * `asking`: not known yet. `here`: in this tab. `elsewhere`: in another one.
 */
export type Holding = 'asking' | 'here' | 'elsewhere';

interface HoldOptions {
  /** Told where the place is edited, now and whenever it changes. */
  readonly onChange: (holding: Holding) => void;
  /** Keeps the draft before another tab goes on with it. */
  readonly onAsked: () => Promise<void>;
  /** Asks the tab that has the place to give it up. */
  readonly isAsking: boolean;
}

const channelName = 'cartulary-editor';
/**
 * Milliseconds. A place that this tab has just given back is free in an instant. A tab that was asked and does not give
 * the place up is stuck.
 */
const patience = { usual: 300, asking: 3000 } as const;

/**
 * Holds a place for as long as this tab lives. The browser gives it back when the tab ends, also by a crash.
 * @returns gives the place back
 */
export function holdPlace(place: string, { onChange, onAsked, isAsking }: HoldOptions): () => void {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Locks exist over https and on the machine itself only.
  if (navigator.locks === undefined) {
    onChange('here');
    return release;
  }
  const name = lockOf(place);
  const channel = new BroadcastChannel(channelName);
  let isReleased = false;
  const end = (): void => {
    isReleased = true;
    channel.close();
    release();
  };
  const hold = async (): Promise<void> => {
    if (isReleased) return;
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (data !== name || isReleased) return;
      onChange('elsewhere');
      void onAsked().finally(end);
    });
    onChange('here');
    await released;
  };
  const wait = async (): Promise<void> => {
    if (isAsking) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin, its own
      channel.postMessage(name);
    }
    const signal = AbortSignal.timeout(isAsking ? patience.asking : patience.usual);
    try {
      await navigator.locks.request(name, { signal }, hold);
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error;
      if (isAsking) await navigator.locks.request(name, { steal: true }, hold);
      else if (!isReleased) onChange('elsewhere');
    }
  };
  wait().catch(() => {
    if (!isReleased) onChange('elsewhere');
  });
  return end;
}

const lockOf = (place: string): string => `${channelName} ${place}`;

/** The places of these that no tab holds. */
export async function findFree(places: readonly string[]): Promise<readonly string[]> {
  if (navigator.locks === undefined) return places;
  const { held = [] } = await navigator.locks.query();
  const names = new Set(held.map(({ name }) => name));
  return places.filter((place) => !names.has(lockOf(place)));
}
