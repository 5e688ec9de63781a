import type { Policy } from '../domain/policy.js';
import { changePolicy, showPolicy } from '../operations/workspaces/change-policy.js';
import { parseWorkspaceTitle } from '../operations/principals/parse-name.js';
import { maxFileBytes } from '../extraction/bounds.js';
import { languageCodes } from '../search/languages/open-stemmer.js';
import { declaredCharset } from '../text/charset.js';
import { inWorkspace, type Command } from './command.js';
import { badField, formatDuration, parseBytes, parseCount, parseDuration } from './fields.js';
import type { Presented } from './result.js';

interface Setting {
  readonly field: keyof Policy;
  readonly kind: 'count' | 'bytes' | 'duration' | 'switch' | 'languages' | 'title' | 'charset' | 'extracted';
}

/** The policy's settings by the names they have outside. */
const settings: Readonly<Record<string, Setting>> = {
  requests_per_minute: { field: 'requestsPerMinute', kind: 'count' },
  burst: { field: 'burst', kind: 'count' },
  storage_quota: { field: 'storageQuota', kind: 'bytes' },
  discussion_per_day: { field: 'discussionPerDay', kind: 'bytes' },
  largest_text: { field: 'largestText', kind: 'bytes' },
  largest_blob: { field: 'largestBlob', kind: 'bytes' },
  credential_lifetime: { field: 'credentialLifetime', kind: 'duration' },
  search_by_meaning: { field: 'searchByMeaning', kind: 'switch' },
  search_languages: { field: 'searchLanguages', kind: 'languages' },
  extract_text: { field: 'extractText', kind: 'switch' },
  text_charset: { field: 'textCharset', kind: 'charset' },
  largest_extracted: { field: 'largestExtracted', kind: 'extracted' },
  portable_names: { field: 'portableNames', kind: 'switch' },
  workspace_title: { field: 'workspaceTitle', kind: 'title' },
};

function presentPolicy(policy: Policy, workspace: string): Presented {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { field, kind }]) => {
      const value = policy[field];
      if (kind === 'title') return [name, value ?? workspace];
      if (kind === 'charset') return [name, value ?? 'none'];
      if (kind === 'switch') return [name, value === true ? 'on' : 'off'];
      if (Array.isArray(value)) return [name, value.join(',')];
      return [name, kind === 'duration' && typeof value === 'number' ? formatDuration(value) : value];
    }),
  );
}

function parseValue(
  { kind }: Setting,
  text: string,
  workspace: string,
): number | string | boolean | null | readonly string[] {
  if (kind === 'title') return parseWorkspaceTitle(text, workspace, 'value');
  if (kind === 'switch') {
    if (text !== 'on' && text !== 'off') throw badField('value', 'must be on or off');
    return text === 'on';
  }
  if (kind === 'languages') return parseLanguages(text);
  if (kind === 'count') return parseCount('value', text);
  if (kind === 'bytes') return parseBytes('value', text);
  if (kind === 'charset') return parseCharset(text);
  if (kind === 'extracted') return parseLargestExtracted(text);
  const duration = text === 'none' ? null : parseDuration(text);
  if (duration === undefined) throw badField('value', 'must be a duration such as 90d (s, m, h, d, w), or none');
  return duration;
}

/** Each costs work in every search and room in the index. */
const maxLanguages = 4;

function parseLanguages(text: string): readonly string[] {
  const codes = text.split(',').map((code) => code.trim());
  const known: readonly string[] = languageCodes;
  if (
    codes.every((code) => known.includes(code)) &&
    new Set(codes).size === codes.length &&
    codes.length <= maxLanguages
  )
    return codes;
  throw badField('value', `must name one to ${maxLanguages} of ${known.join(', ')}, separated by commas`);
}

function parseCharset(text: string): string | null {
  if (text === 'none') return null;
  const charset = declaredCharset(`text/plain; charset="${text.replaceAll('"', '')}"`);
  if (charset !== undefined) return charset;
  throw badField(
    'value',
    'must be a charset of the Encoding Standard such as windows-1252, or none; UTF-8 needs no naming',
  );
}

function parseLargestExtracted(text: string): number {
  const bytes = parseBytes('value', text);
  if (bytes <= maxFileBytes) return bytes;
  throw badField('value', `must be at most ${maxFileBytes}: a file is read in a process with little memory`);
}

export const policyCommands: Readonly<Record<string, Command>> = {
  'policy.show': inWorkspace(async ({ perform, workspace }) =>
    presentPolicy(await perform(showPolicy, {}), workspace.name),
  ),
  'policy.set': inWorkspace(async ({ perform, workspace }, fields) => {
    const name = fields.choice('name', Object.keys(settings));
    const setting = settings[name];
    if (setting === undefined) throw badField('name', 'is no setting of the policy');
    const change: Partial<Policy> = { [setting.field]: parseValue(setting, fields.text('value'), workspace.name) };
    const { before, after } = await perform(changePolicy, change);
    const stored = Number(workspace.journal.reader.meta.get('stored_bytes') ?? '0');
    const isBelowUse = name === 'storage_quota' && after.storageQuota < stored;
    return {
      name,
      before: presentPolicy(before, workspace.name)[name],
      after: presentPolicy(after, workspace.name)[name],
      ...(isBelowUse && { warning: `${stored} bytes are stored already: every write with content is refused.` }),
    };
  }),
};
