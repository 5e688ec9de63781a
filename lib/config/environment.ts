/** The program's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** No setting, so it is in no file and no object that could be shown. */
const passphraseVariable = 'CARTULARY_PASSPHRASE';

/** The passphrase of a backup, if the environment has it. */
export function findPassphrase(environment: Environment = process.env): string | undefined {
  return environment[passphraseVariable] || undefined;
}

/** As the passphrase: the key of an agent on this machine, and the service's address unless the data folder has it. */
const keyVariable = 'CARTULARY_KEY';
const urlVariable = 'CARTULARY_URL';

/** The environment's key and address for a client of the service. */
export const findClientSettings = (environment: Environment = process.env) => ({
  key: environment[keyVariable] || undefined,
  url: environment[urlVariable] || undefined,
});

/** How wide a terminal is said to be, and whether its user wants no colours (no-color.org). */
export function findTerminalSettings(environment: Environment = process.env) {
  const columns = /^[1-9]\d{0,4}$/.exec(environment['COLUMNS'] ?? '')?.[0];
  const noColor = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return { columns: columns === undefined ? undefined : Number(columns), noColor };
}

/** The folders of commands, and device and number of the journal's stream (systemd.exec(5)). Empty where not set. */
export const findSystemSettings = (environment: Environment = process.env) => ({
  path: environment['PATH'] ?? '',
  journalStream: environment['JOURNAL_STREAM'] ?? '',
});

/** Variables of ours that are no settings. */
export const secretVariables: readonly string[] = [passphraseVariable, keyVariable, urlVariable];

/** The key of a store of buckets, in the variables that all programs for them read. */
export function findObjectsKey(
  environment: Environment = process.env,
): { readonly id: string; readonly secret: string; readonly sessionToken?: string } | undefined {
  const id = environment['AWS_ACCESS_KEY_ID'] ?? '';
  const secret = environment['AWS_SECRET_ACCESS_KEY'] ?? '';
  const sessionToken = environment['AWS_SESSION_TOKEN'] ?? '';
  if (id === '' || secret === '') return undefined;
  return sessionToken === '' ? { id, secret } : { id, secret, sessionToken };
}
