import { sendCommand } from '../carrier/send-command.js';
import type { Finding } from './finding.js';

/** The copy elsewhere, as it is set for this process. */
export interface CopySettings {
  /** `s3://bucket/prefix`; null for nowhere. */
  readonly address: string | null;
  /** Tries who can restore, the key and the bucket. @throws Error with a message for people */
  readonly attempt: () => Promise<void>;
}

/** What this check reads of the answer to `follow.status`. */
interface Answer {
  readonly address: string;
  readonly state: string;
  readonly obstacle: string | null;
}

const name = 'copy';
const well = (message: string): Finding => ({ name, ok: true, message });
const ill = (message: string, remedy: string): Finding => ({ name, ok: false, message, remedy });

/** Nothing where no copy is set: most services do without. */
export async function checkCopy(
  { dataFolder, copy: { address, attempt } }: { readonly dataFolder: string; readonly copy: CopySettings },
  isServed: boolean,
): Promise<Finding[]> {
  const status = isServed ? await askStatus(dataFolder) : undefined;
  if (status !== undefined && status !== null) return [judge(status)];
  if (address === null) return [];
  // A server of an earlier release cannot say.
  if (status === null) {
    const remedy = 'Start the server again with the setting follow.';
    return [ill(`the server keeps no copy, and ${address} is set here`, remedy)];
  }
  try {
    await attempt();
  } catch (error) {
    return [ill(`${address} cannot be used`, (error as Error).message)];
  }
  return [well(`${address} can be written. A restore needs the secret key, which no check from here can see`)];
}

/** undefined where no answer came; null where the server keeps no copy. */
async function askStatus(dataFolder: string): Promise<Answer | null | undefined> {
  const answer = await sendCommand(dataFolder, { command: 'follow.status', fields: {} }, async () => undefined);
  return answer !== undefined && 'result' in answer ? (answer.result as Answer | null) : undefined;
}

function judge({ address, state, obstacle }: Answer): Finding {
  const why = obstacle === null ? '' : `: ${obstacle}`;
  if (state === 'superseded') {
    const remedy =
      'Stop this server. If this machine should be current again, run `cartulary follow take-over` first, and then start it.';
    return ill(`another machine has taken over ${address}, and this one answers nothing`, remedy);
  }
  if (state === 'behind' || obstacle !== null) {
    const remedy = 'Nothing is lost here, and it catches up by itself once the bucket answers. Look at the bucket.';
    return ill(`the copy in ${address} is behind${why}`, remedy);
  }
  if (state === 'starting') return well(`the first copy in ${address} is being made`);
  return well(`${address} is up to date. A restore needs the secret key, which no check from here can see`);
}
