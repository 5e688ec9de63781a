import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { components } from '../../api/described.d.ts';
import { given, usePages, useRead, type Pages } from '../../api/read.ts';
import { useWorkspace } from '../../api/session.ts';

type Schemas = components['schemas'];
export type ListedPrincipal = Schemas['ListedPrincipal'];
export type PrincipalDetails = Schemas['PrincipalDetails'];
export type GroupDetails = Schemas['GroupDetails'];
export type ListedGroup = Schemas['ListedGroup'];
export type Member = Schemas['Member'];
export type Token = Schemas['Token'];
export type MintedToken = Schemas['MintedToken'];
export type ReachedPlace = Schemas['ReachedPlace'];
export type MembershipImpact = Schemas['MembershipImpact'];
export type PersonSession = Schemas['PersonSession'];
export type SignInLink = Schemas['SignInLink'];
export type Kind = 'person' | 'agent' | 'connector';

/** A principal or group by its id. */
export interface Subject {
  readonly type: 'principal' | 'group';
  readonly id: string;
}

export function usePrincipals(text: string, kind: Kind | '', isWanted = true): Pages<ListedPrincipal> {
  const { name } = useWorkspace();
  const key = [name, 'access', 'principals', text, kind];
  return usePages(
    name,
    key,
    '/principals',
    { query: { ...given({ text }), kind: kind === '' ? undefined : kind } },
    { enabled: isWanted },
  );
}

export function usePrincipal(id: string): UseQueryResult<PrincipalDetails> {
  const { name } = useWorkspace();
  return useRead(name, [name, 'access', 'principal', id], '/principal', { query: { principal: id } });
}

export function useTokens(principal: string): Pages<Token> {
  const { name } = useWorkspace();
  return usePages(name, [name, 'access', 'tokens', principal], '/tokens', { query: { principal } });
}

/** The person's own keys, whoever made them. */
export function useOwnKeys(): Pages<Schemas['Key']> {
  const { name } = useWorkspace();
  return usePages(name, [name, 'access', 'own-keys'], '/keys', {});
}

/** A person's own key as a token of theirs. */
export const toToken = (key: Schemas['Key'], principal: string): Token => ({ ...key, principal });

export const toMinted = ({ key, secret }: Schemas['KeyWithSecret'], principal: string): MintedToken => ({
  token: toToken(key, principal),
  key: secret,
});

export function useReach({ type, id }: Subject, own: boolean): Pages<ReachedPlace> {
  const { name } = useWorkspace();
  const query = { subject_type: type, subject_id: id, own };
  return usePages(name, [name, 'access', 'reach', type, id, own], '/reach', { query });
}

export function usePersonSessions(principal: string, isWanted: boolean): UseQueryResult<{ items: PersonSession[] }> {
  const { name } = useWorkspace();
  const key = [name, 'access', 'sessions', principal];
  return useRead(name, key, '/person-sessions', { query: { principal } }, { enabled: isWanted });
}

export function useGroups(text: string, outermost: boolean, isWanted = true): Pages<ListedGroup> {
  const { name } = useWorkspace();
  const key = [name, 'access', 'groups', text, outermost];
  return usePages(name, key, '/groups', { query: { outermost, ...given({ text }) } }, { enabled: isWanted });
}

export function useGroup(id: string): UseQueryResult<GroupDetails> {
  const { name } = useWorkspace();
  return useRead(name, [name, 'access', 'group', id], '/group', { query: { group: id } });
}

export function useMembers(group: string, type?: Subject['type'], isWanted = true): Pages<Member> {
  const { name } = useWorkspace();
  const key = [name, 'access', 'members', group, type];
  return usePages(name, key, '/members', { query: { group, type } }, { enabled: isWanted });
}

/** What a membership would change. Never from a memory: grants may have changed since. */
export function useImpact(group: string, member: Subject, change: 'add' | 'remove'): UseQueryResult<MembershipImpact> {
  const { name } = useWorkspace();
  const query = { group, member_type: member.type, member_id: member.id, change };
  const key = [name, 'access', 'impact', query];
  return useRead(name, key, '/membership-previews', { query }, { gcTime: 0, staleTime: 0 });
}

/** Has everything about access read again, after a change: here, and who reaches which place. */
export function useRefresh(): () => Promise<void> {
  const { name } = useWorkspace();
  const client = useQueryClient();
  return useCallback(async () => {
    const asked = [
      [name, 'access'],
      ['sharing', name],
    ];
    await Promise.all(asked.map((queryKey) => client.invalidateQueries({ queryKey })));
  }, [client, name]);
}
