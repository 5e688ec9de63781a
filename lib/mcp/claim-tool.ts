import type { PlacedClaim } from '../domain/claim.js';
import { parseFolderLocation, parseLocation } from '../domain/location.js';
import type { Page } from '../domain/page.js';
import type { ChangedClaim } from '../operations/claims/find-own-claim.js';
import { releaseClaim, releaseClaimAt } from '../operations/claims/release-claim.js';
import { takeClaim } from '../operations/claims/take-claim.js';
import { listClaims, positionOfClaim } from '../operations/claims/list-claims.js';
import { fitPage } from './answer-room.js';
import { presentClaim } from './present-document.js';
import { presentNext, readPage, toolEntry, type PageArguments, type ToolEntry, type ToolCall } from './tool.js';

interface ClaimArguments extends PageArguments {
  readonly action: 'take' | 'release' | 'list';
  readonly location?: string;
  readonly section?: string;
  readonly ttl_seconds?: number;
  readonly claim_id?: string;
  readonly purpose?: string;
}

const usualList = 50;
const tool = 'claim';
const released = ({ claim: { section } }: ChangedClaim): object => ({
  action: 'release',
  claims: [],
  released: true,
  ...(section === null ? {} : { section }),
});

function presentList(page: Page<PlacedClaim>, call: ToolCall<ClaimArguments>): object {
  const present = (claim: PlacedClaim): object => presentClaim(claim, claim.location, call.caller.principalId);
  const { shown, next } = fitPage(page, present, positionOfClaim);
  return { action: 'list', claims: shown, ...presentNext(next, call) };
}

export const claimEntries: readonly ToolEntry[] = [
  toolEntry({
    tool,
    scope: 'org:write',
    when: ({ action }: ClaimArguments) => action === 'take',
    takes: ['action', 'location', 'section', 'ttl_seconds', 'purpose'],
    requires: ['location'],
    operation: takeClaim,
    read: ({ args }: ToolCall<ClaimArguments>) => ({
      location: parseLocation(args.location ?? ''),
      section: args.section,
      seconds: args.ttl_seconds,
      purpose: args.purpose,
    }),
    present: ({ claim }, { caller }) => ({
      action: 'take',
      claims: [presentClaim(claim, claim.location, caller.principalId)],
    }),
  }),
  toolEntry({
    tool,
    scope: 'org:write',
    when: ({ action, claim_id }: ClaimArguments) => action === 'release' && claim_id !== undefined,
    takes: ['action', 'claim_id'],
    operation: releaseClaim,
    read: ({ args }: ToolCall<ClaimArguments>) => ({ claimId: args.claim_id ?? '' }),
    present: released,
  }),
  toolEntry({
    tool,
    scope: 'org:write',
    when: ({ action }: ClaimArguments) => action === 'release',
    takes: ['action', 'location', 'section'],
    requires: ['location'],
    orElse: 'claim_id',
    operation: releaseClaimAt,
    read: ({ args }: ToolCall<ClaimArguments>) => ({
      location: parseLocation(args.location ?? ''),
      section: args.section,
    }),
    present: released,
  }),
  toolEntry({
    tool,
    scope: 'org:read',
    takes: ['action', 'location', 'cursor', 'limit'],
    operation: listClaims,
    read: (call: ToolCall<ClaimArguments>) => ({
      location: parseFolderLocation(call.args.location ?? ''),
      ...readPage(call, usualList),
    }),
    present: presentList,
  }),
];
