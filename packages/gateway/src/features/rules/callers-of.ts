/**
 * The possible callers in an organization, as rules see them: its members and its keys, as they are now. Only those are read that
 * somebody asks about: there can be thousands.
 */
import {
  Fault,
  lesserLimit,
  lesserRole,
  type Limit,
  type PrincipalFacts,
  type Role,
  type UserId,
} from '@toolway/contract'
import { principalFacts } from '../../snapshot/role.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { OrgSql } from '../../db/db.ts'
import { principalOf } from '../../identity/identify.ts'
import { listKeys, listKeysOf, type KeyRow } from '../../identity/keys/keys.ts'
import { OPERATOR, type Principal } from '../../identity/principal.ts'
import { listMembers, listMembersNamed, type MemberRow } from '../../organizations/members.ts'

/** Somebody, with how far the calls reach. */
export interface Caller {
  readonly facts: PrincipalFacts
  readonly limit: Limit
  /** The only toolset that its key may use. */
  readonly toolset: string | undefined
}

export interface Callers {
  /** By the id that records know, and the key of a member where there was one; undefined for who is gone. */
  byId(id: string, keyId: string | null): Caller | undefined
  hasMember(email: string): boolean
  /** Throws `thing.unknown`. Neither: a member of whom nothing is known. */
  named(as: string | undefined, key: string | undefined): Caller
  /** Address of the member, of whose own key too; else the name of the key, else the id. */
  nameOf(id: string): string
}

export interface CallersParts {
  readonly snapshot: Pick<Snapshot, 'groupsOf'>
  readonly sql: OrgSql
  /** Whether an account administers the platform, which makes it that everywhere. */
  isPlatformAdmin(id: UserId): boolean
}

const EVERYBODY = { limit: 1_000_000, offset: 0 }

/** Those that are asked for: members and keys by id, members by address, keys by name. The owners of the keys are among them. */
export type Wanted = readonly (string | null | undefined)[]

/** @param requested `everybody` only for an answer that has them all */
export async function callersOf(
  { snapshot, sql, isPlatformAdmin }: CallersParts,
  requested: Wanted | 'everybody',
): Promise<Callers> {
  const { members, keys } = requested === 'everybody' ? await readAll(sql) : await read(sql, requested)
  const memberById = new Map<string, MemberRow>(members.map((member) => [member.user_id, member]))
  const keyById = new Map<string, KeyRow>(keys.map((key) => [key.id, key]))
  const find = (id: UserId) => memberById.get(id) as never

  function requestContext(principal: Principal, member: MemberRow | undefined): Caller {
    const own: Role | undefined =
      member === undefined ? undefined : isPlatformAdmin(member.user_id) ? 'platform_admin' : member.role
    const role = own === undefined ? principal.role : lesserRole(principal.role, own)
    const facts = principalFacts({ find }, principal, role, snapshot.groupsOf(principal.userId))
    return { facts, limit: principal.limit, toolset: principal.toolset }
  }

  const ofMember = (member: MemberRow, key?: KeyRow): Caller =>
    requestContext(
      {
        ...(key === undefined ? SIGNED_IN : principalOf(key)),
        id: member.user_id,
        kind: 'user',
        userId: member.user_id,
      },
      member,
    )
  const ofKey = (key: KeyRow): Caller =>
    requestContext(principalOf(key), key.user_id === null ? undefined : memberById.get(key.user_id))

  /** Members name theirs as they like: a name is that of the member's own key, else of the organization's. */
  const findKey = (name: string, user: UserId | undefined): KeyRow | undefined =>
    keyById.get(name) ??
    keys.find((key) => key.name === name && user !== undefined && key.user_id === user) ??
    keys.find((key) => key.name === name && key.user_id === null)

  return {
    byId(id, keyId) {
      const member = memberById.get(id)
      if (member !== undefined) return ofMember(member, keyId === null ? undefined : keyById.get(keyId))
      const key = keyById.get(id)
      if (key !== undefined) return ofKey(key)
      return id === OPERATOR.id ? requestContext(OPERATOR, undefined) : undefined
    },
    hasMember: (email) => members.some((member) => member.email === email.toLowerCase()),
    named(as, keyName) {
      const member = as === undefined ? undefined : members.find(({ email }) => email === as.toLowerCase())
      if (as !== undefined && member === undefined) throw new Fault('thing.unknown', { thing: 'member' })
      const key = keyName === undefined ? undefined : findKey(keyName, member?.user_id)
      if (keyName !== undefined && key === undefined) throw new Fault('thing.unknown', { thing: 'key' })
      if (member === undefined) return key === undefined ? NOBODY : ofKey(key)
      // A member's own key calls as itself; another one only where it may speak for members.
      return key !== undefined && key.user_id === member.user_id ? ofKey(key) : ofMember(member, key)
    },
    nameOf(id) {
      const key = keyById.get(id)
      return memberById.get(key?.user_id ?? id)?.email ?? key?.name ?? id
    },
  }
}

const readAll = async (sql: OrgSql) => ({ members: await listMembers(sql, EVERYBODY), keys: await listKeys(sql) })

async function read(sql: OrgSql, requested: Wanted) {
  const names = [...new Set(requested.filter((name) => name !== undefined && name !== null))]
  if (names.length === 0) return { members: [], keys: [] }
  const keys = await listKeysOf(sql, names)
  const owners = keys.flatMap(({ user_id: user }) => user ?? [])
  const members = await listMembersNamed(sql, [...names, ...names.map((name) => name.toLowerCase()), ...owners])
  return { members, keys }
}

const SIGNED_IN: Principal = { ...OPERATOR, kind: 'user' }

/** A member of whom nothing is known. */
export const NOBODY: Caller = {
  facts: {
    id: '',
    kind: 'user',
    role: 'tenant_member',
    email: '',
    groups: [],
    key: '',
    keyId: '',
    client: '',
    clientRegistered: false,
  },
  limit: 'execute',
  toolset: undefined,
}

export const reachOf = ({ limit }: Caller, own: Limit | undefined): Limit => lesserLimit(limit, own ?? 'execute')
