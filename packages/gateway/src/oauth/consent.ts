/**
 * The choices that a user has when allowing a client at an endpoint: the organization, and the limit on what its tools can do
 * there.
 *
 * Only existing choices that the user is permitted to make: an endpoint that the user may not see has no choices, the same as one
 * that does not exist.
 */
import {
  permits,
  SHOWN_EFFECTS,
  shownEffectOf,
  type Limit,
  type OrganizationId,
  type Role,
  type ShownEffect,
} from '@toolway/contract'
import type { EndpointPath } from '../snapshot/ports/endpoint.ts'
import { isThere, roleIfAdmitted } from '../snapshot/role.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { ToolListing } from '../catalog/tool-listing.ts'
import type { Accounts } from '../identity/accounts.ts'
import type { Principal } from '../identity/principal.ts'
import { DEFAULT_SLUG } from '../organizations/organizations.ts'

export interface ConsentParts {
  readonly accounts: Pick<Accounts, 'find'>
  findOrganization(name: { id?: string; slug?: string }): Snapshot | undefined
  allOrganizations(): readonly Snapshot[]
}

export type Tally = Readonly<Record<ShownEffect, { readonly count: number; readonly examples: readonly string[] }>>

export interface Choice {
  readonly organizationId: OrganizationId
  readonly name: string
  readonly role: Role
  /** The farthest that its role reaches there. */
  readonly maxLimit: Limit
  readonly tools: Tally
}

const DEFAULT_TOOLSET = 'default'
const EXAMPLES = 3
/** A page holds no more organizations than a person can look through. */
const MOST = 50

export function listChoices(parts: ConsentParts, principal: Principal, endpoint: EndpointPath): Choice[] {
  const { organization } = endpoint
  const named = organization === undefined ? undefined : parts.findOrganization({ slug: organization })
  const candidates = organization === undefined ? defaultFirst(parts.allOrganizations()) : [named]
  const choices: Choice[] = []
  for (const snapshot of candidates) {
    const choice = snapshot === undefined ? undefined : choiceIn(parts, principal, endpoint, snapshot)
    if (choice !== undefined) choices.push(choice)
    if (choices.length === MOST) break
  }
  return choices
}

/** Where an address that names no organization leads without a token. */
const defaultFirst = (all: readonly Snapshot[]): readonly Snapshot[] =>
  all.toSorted((snapshot, other) => Number(isDefault(other)) - Number(isDefault(snapshot)))
const isDefault = ({ organization }: Snapshot): boolean => organization.slug === DEFAULT_SLUG

function choiceIn(
  { accounts }: ConsentParts,
  principal: Principal,
  { toolset = DEFAULT_TOOLSET, connection }: EndpointPath,
  snapshot: Snapshot,
): Choice | undefined {
  const { id, name, active } = snapshot.organization
  if (!active) return undefined
  if (principal.organizationId !== undefined && principal.organizationId !== id) return undefined
  const role = roleIfAdmitted(accounts, principal, snapshot)
  if (role === undefined || !isThere(snapshot, toolset, { accounts, principal, role })) return undefined
  const toolListing = snapshot.toolListing(toolset, connection, 'execute')
  if (toolListing === undefined) return undefined
  return {
    organizationId: id,
    name,
    role,
    maxLimit: permits(role, 'tool_call') ? 'execute' : 'read',
    tools: tallyOf(toolListing),
  }
}

function tallyOf(toolListing: ToolListing): Tally {
  const names: Record<ShownEffect, string[]> = { read: [], write: [], destructive: [], unknown: [] }
  for (const { name } of toolListing.list('tools', '2026-07-28')) {
    const target = toolListing.tool(String(name))
    if (target === undefined) continue
    names[shownEffectOf({ effect: target.effect, effect_from: target.effectFrom })].push(String(name))
  }
  return Object.fromEntries(
    SHOWN_EFFECTS.map((effect) => [
      effect,
      { count: names[effect].length, examples: names[effect].slice(0, EXAMPLES) },
    ]),
  ) as Record<ShownEffect, { count: number; examples: string[] }>
}
