/**
 * The map of who reaches which connections through which toolsets. It asks the audiences and the listings that calls ask; rules,
 * which can depend on arguments, are explained call by call (explain-call.ts).
 */
import { permits, ROLES, type Limit, type PrincipalFacts, type Role } from '@toolway/contract'
import type { AccessCaller, AccessMap } from '@toolway/contract/admin'
import { MODERN } from '@toolway/protocol'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { OrgSql } from '../../db/db.ts'
import { listKeys } from '../../identity/keys/keys.ts'
import { listGroupMembers, listGroups } from '../../organizations/groups.ts'
import { listRoles } from '../../organizations/members.ts'
import { isFor } from '../../toolsets/audience.ts'
import { toolsetsOf } from '../../toolsets/supplied-toolsets.ts'
import { NOBODY, type Caller, type Callers } from './callers-of.ts'

export interface AccessQuestion {
  readonly snapshot: Snapshot
  readonly sql: OrgSql
  readonly callers: Callers
  /** Only this member or key. */
  readonly only: { readonly as: string | undefined; readonly key: string | undefined }
}

/** Throws `thing.unknown` for a member or key that the organization does not have. */
export async function accessMap({ snapshot, sql, callers, only }: AccessQuestion): Promise<AccessMap> {
  const caller = only.as === undefined && only.key === undefined ? undefined : callers.named(only.as, only.key)
  const toolsets = toolsetsOf(snapshot.toolsets)
  const slugs = toolsets.map(({ slug }) => slug)
  const openTo = (facts: PrincipalFacts) => slugs.filter((slug) => isOpenTo(snapshot, slug, facts))
  const rows = caller === undefined ? await everyCaller({ snapshot, sql, callers, openTo }) : [rowOf(caller, openTo)]
  return {
    callers: rows,
    toolsets: toolsets.map(({ slug, title }) => ({
      slug,
      title,
      everyone: snapshot.audience(slug) === undefined,
      connections: countTools(snapshot, slug, caller?.limit ?? 'execute'),
    })),
    connections: snapshot.connections.map(({ id, alias, title, enabled }) => ({
      ...{ alias, title, enabled },
      tools: snapshot.catalogs.get(id)?.tools?.length ?? 0,
    })),
  }
}

function isOpenTo(snapshot: Snapshot, slug: string, facts: PrincipalFacts): boolean {
  const audience = snapshot.audience(slug)
  return audience === undefined || isFor(audience, facts)
}

type OpenTo = (facts: PrincipalFacts) => string[]

/** None for a role that may not call tools; a key can be restricted to one toolset. */
function toolsetsOfCaller({ facts, toolset }: Pick<Caller, 'facts' | 'toolset'>, openTo: OpenTo): string[] {
  if (!permits(facts.role as Role, 'tool_call')) return []
  return openTo(facts).filter((slug) => toolset === undefined || toolset === slug)
}

function rowOf(caller: Caller, openTo: OpenTo): AccessCaller {
  const { keyId, key, email } = caller.facts
  const who =
    keyId === '' ? { kind: 'member' as const, id: email, name: email } : { kind: 'key' as const, id: keyId, name: key }
  return { ...who, members: null, limit: caller.limit, toolsets: toolsetsOfCaller(caller, openTo) }
}

interface Everyone extends Pick<AccessQuestion, 'snapshot' | 'sql' | 'callers'> {
  readonly openTo: OpenTo
}

/** Roles that somebody has, groups, members whom an audience names, and the keys of the organization. */
async function everyCaller({ snapshot, sql, callers, openTo }: Everyone): Promise<AccessCaller[]> {
  const roles = [...(await listRoles(sql)).values()]
  const groups = await listGroups(sql)
  const inGroups = await listGroupMembers(sql)
  const keys = (await listKeys(sql)).filter(({ user_id: user }) => user === null)
  const named = new Set(toolsetsOf(snapshot.toolsets).flatMap(({ slug }) => snapshot.audience(slug)?.members ?? []))
  return [
    ...ROLES.filter((role) => roles.includes(role)).map((role) => ({
      ...{ kind: 'role' as const, id: role, name: role, limit: 'execute' as const },
      members: roles.filter((item) => item === role).length,
      toolsets: toolsetsOfCaller({ facts: { ...NOBODY.facts, role }, toolset: undefined }, openTo),
    })),
    ...groups.map(({ slug, title }) => ({
      ...{ kind: 'group' as const, id: slug, name: title, limit: 'execute' as const },
      members: inGroups.filter(({ group_slug: of }) => of === slug).length,
      // Its members have roles of their own, which have rows of their own.
      toolsets: openTo({ ...NOBODY.facts, role: '', groups: [slug] }),
    })),
    ...[...named]
      .toSorted()
      .filter((email) => callers.hasMember(email))
      .map((email) => rowOf(callers.named(email, undefined), openTo)),
    ...keys.map(({ id }) => rowOf(callers.named(undefined, id), openTo)),
  ]
}

/** By alias. */
function countTools(snapshot: Snapshot, slug: string, limit: Limit): { alias: string; tools: number }[] {
  const listing = snapshot.toolListing(slug, undefined, limit)
  if (listing === undefined) return []
  const counts = new Map<string, number>()
  for (const { name } of listing.list('tools', MODERN)) {
    const id = listing.tool(String(name))?.connectionId
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return snapshot.connections
    .flatMap(({ id, alias }) => (counts.has(id) ? [{ alias, tools: counts.get(id) ?? 0 }] : []))
    .toSorted((first, other) => (first.alias < other.alias ? -1 : 1))
}
