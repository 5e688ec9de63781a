import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { given, usePages, type Pages } from '../../api/pages.ts';
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
  return usePages(
    [name, 'access', 'principals', text, kind],
    (cursor, signal) =>
      dataOf(apiOf(name).GET('/principals', { params: { query: given({ text, kind, cursor }) as never }, signal })),
    isWanted,
  );
}

export function usePrincipal(id: string): UseQueryResult<PrincipalDetails> {
  const { name } = useWorkspace();
  return useQuery({
    queryKey: [name, 'access', 'principal', id],
    queryFn: ({ signal }) => dataOf(apiOf(name).GET('/principal', { params: { query: { principal: id } }, signal })),
  });
}

export function useTokens(principal: string): Pages<Token> {
  const { name } = useWorkspace();
  return usePages([name, 'access', 'tokens', principal], (cursor, signal) =>
    dataOf(apiOf(name).GET('/tokens', { params: { query: { principal, ...given({ cursor }) } }, signal })),
  );
}

/** The person's own keys, whoever made them. */
export function useOwnKeys(): Pages<Schemas['Key']> {
  const { name } = useWorkspace();
  return usePages([name, 'access', 'own-keys'], (cursor, signal) =>
    dataOf(apiOf(name).GET('/keys', { params: { query: given({ cursor }) }, signal })),
  );
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
  return usePages([name, 'access', 'reach', type, id, own], (cursor, signal) =>
    dataOf(apiOf(name).GET('/reach', { params: { query: { ...query, ...given({ cursor }) } }, signal })),
  );
}

export function usePersonSessions(principal: string, isWanted: boolean): UseQueryResult<{ items: PersonSession[] }> {
  const { name } = useWorkspace();
  return useQuery({
    queryKey: [name, 'access', 'sessions', principal],
    queryFn: ({ signal }) => dataOf(apiOf(name).GET('/person-sessions', { params: { query: { principal } }, signal })),
    enabled: isWanted,
  });
}

export function useGroups(text: string, outermost: boolean, isWanted = true): Pages<ListedGroup> {
  const { name } = useWorkspace();
  return usePages(
    [name, 'access', 'groups', text, outermost],
    (cursor, signal) =>
      dataOf(apiOf(name).GET('/groups', { params: { query: { outermost, ...given({ text, cursor }) } }, signal })),
    isWanted,
  );
}

export function useGroup(id: string): UseQueryResult<GroupDetails> {
  const { name } = useWorkspace();
  return useQuery({
    queryKey: [name, 'access', 'group', id],
    queryFn: ({ signal }) => dataOf(apiOf(name).GET('/group', { params: { query: { group: id } }, signal })),
  });
}

export function useMembers(group: string, type?: Subject['type'], isWanted = true): Pages<Member> {
  const { name } = useWorkspace();
  return usePages(
    [name, 'access', 'members', group, type],
    (cursor, signal) =>
      dataOf(apiOf(name).GET('/members', { params: { query: { group, ...given({ type, cursor }) } }, signal })),
    isWanted,
  );
}

/** What a membership would change. Never from a memory: grants may have changed since. */
export function useImpact(group: string, member: Subject, change: 'add' | 'remove'): UseQueryResult<MembershipImpact> {
  const { name } = useWorkspace();
  const query = { group, member_type: member.type, member_id: member.id, change };
  return useQuery({
    queryKey: [name, 'access', 'impact', query],
    queryFn: ({ signal }) => dataOf(apiOf(name).GET('/membership-previews', { params: { query }, signal })),
    gcTime: 0,
    staleTime: 0,
  });
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
