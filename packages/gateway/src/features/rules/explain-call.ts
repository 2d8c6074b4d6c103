/**
 * Why a call would end as it would, for an administrator: what stands before the rules, then each rule, then what would be sent.
 *
 * It asks the parts that calls ask, and at last the very view that the caller would have: what that does not show cannot be called,
 * whatever else is said here.
 */
import { outcomeOf, permits, reaches, type Effect, type Facts, type Role } from '@toolway/contract'
import type { Explanation } from '@toolway/contract/admin'
import { createSwitches } from '../../snapshot/visibility-filter.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { explain, type Explained, type RuleExplained } from '../../policy/explain.ts'
import { wordApprovers } from '../../policy/actions/approve.ts'
import { wordVerdict } from '../../policy/explain-words.ts'
import { isFor } from '../../toolsets/audience.ts'
import { withSupplied } from '../../toolsets/supplied-toolsets.ts'
import { EVERYTHING, selectionOf } from '../../toolsets/toolsets.ts'
import type { Policy } from '../../policy/verdict.ts'
import { reachOf, type Caller } from './callers-of.ts'
import { findCalled, allToolsOf, type KnownTool } from '../../snapshot/tools-of.ts'

export interface Question {
  readonly snapshot: Snapshot
  /** With a draft, in place of those in force. */
  readonly drafted?: Policy | undefined
  readonly caller: Caller
  /** A name that some endpoint lists it under. */
  readonly tool: string
  readonly toolset?: string | undefined
  readonly client?: string | undefined
  readonly address?: string | undefined
  readonly time?: string | undefined
  readonly arguments?: Facts['arguments']
  readonly groups: readonly string[]
}

const DEFAULT = 'default'

type Gate = Explanation['before'][number]

/** Throws `thing.unknown` for a tool that no connection has, and `tool.unclear` for a name that several have. */
export async function explainCall(question: Question): Promise<Explanation> {
  const { snapshot, drafted, caller, groups } = question
  const toolset = question.toolset ?? caller.toolset ?? DEFAULT
  const tool = findCalled(snapshot, await allToolsOf(snapshot), { name: question.tool, toolset })
  const facts: Facts = {
    principal: { ...caller.facts, ...(question.client === undefined ? {} : { client: question.client }) },
    context: {
      organization: snapshot.organization.slug,
      toolset,
      time: question.time ?? new Date().toISOString(),
      address: question.address ?? '',
    },
    arguments: question.arguments,
  }
  const endpoint = { organization: snapshot.organization.slug, toolset }
  const explained = explain({
    ...{ policy: drafted ?? snapshot.rules, tool: tool.facts, endpoint, schema: tool.schema, facts, groups },
  })
  const before = gatesOf(question, tool, toolset, explained.verdict.action === 'hide')
  return wordAll({ tool, facts, caller, toolset, before, told: explained })
}

const gate = (what: string, passes: boolean, yes: string, no: string): Gate => ({
  what,
  stops: !passes,
  why: passes ? yes : no,
})

/** In the order in which a call meets them. */
function gatesOf(question: Question, tool: KnownTool, toolset: string, hidden: boolean): Gate[] {
  const { snapshot, caller, drafted } = question
  const toolListing = snapshot.toolListing(toolset, undefined, caller.limit)
  const gates = [
    ...callerGates(question, toolset),
    gate('toolset', toolListing !== undefined, `The toolset ${toolset} exists.`, `There is no toolset ${toolset}.`),
    ...toolsetGates(question, tool, toolset),
    ...toolGates(question, tool),
  ]
  // The view is made by the rules in force.
  if (hidden || drafted !== undefined || gates.some(({ stops }) => stops)) return gates
  // Covers all other reasons: a tool that is not in the endpoint's tool listing cannot be called.
  return [
    ...gates,
    gate(
      'view',
      toolListing?.tool(tool.exposedName) !== undefined,
      'The endpoint serves the tool.',
      'The endpoint does not serve the tool.',
    ),
  ]
}

/** What has to do with the caller alone. */
const callerGates = ({ snapshot, caller }: Question, toolset: string): Gate[] => [
  gate(
    'organization',
    snapshot.organization.active,
    'The organization is active.',
    'The organization is not active: all of its addresses respond as if it did not exist.',
  ),
  gate(
    'role',
    permits(caller.facts.role as Role, 'tool_call'),
    `The role ${caller.facts.role} may call tools.`,
    `The role ${caller.facts.role} may not call tools: assign another role.`,
  ),
  gate(
    'key',
    caller.toolset === undefined || caller.toolset === toolset,
    caller.toolset === undefined
      ? 'The caller is not limited to a toolset.'
      : `The key is limited to the toolset ${caller.toolset}.`,
    `The key is limited to the toolset ${caller.toolset}: use another key, or that toolset.`,
  ),
]

/** What a toolset lets through, for this caller. */
function toolsetGates({ snapshot, caller }: Question, { connection, facts }: KnownTool, toolset: string): Gate[] {
  const row = withSupplied(snapshot.toolsets).find(({ slug }) => slug === toolset)
  const selection = row === undefined ? EVERYTHING : selectionOf(row.settings)
  const limit = reachOf(caller, selection.limitOf(connection.alias))
  const audience = snapshot.audience(toolset)
  const { joined } = facts
  const effect = facts.effect as Effect
  return [
    gate(
      'audience',
      audience === undefined || isFor(audience, caller.facts),
      audience === undefined ? 'The toolset is available to everyone.' : 'The toolset is available to this caller.',
      `The toolset ${toolset} is not available to this caller: its audience lists other roles, groups, members or keys.`,
    ),
    gate(
      'selection',
      selection.connection(connection.alias) && selection.tool(connection.alias, joined),
      'The toolset includes the tool.',
      `The toolset ${toolset} does not include ${joined}: change what it includes or excludes.`,
    ),
    gate(
      'limit',
      reaches(limit, effect),
      `Calls are limited to ${limit}, and the effect of this tool is ${effect}.`,
      `Calls are limited to ${limit}, but the effect of this tool is ${effect}. Use a key or toolset with a higher limit.`,
    ),
  ]
}

const toolGates = ({ snapshot }: Question, { connection, facts, held }: KnownTool): Gate[] => [
  gate(
    'connection',
    connection.enabled,
    `The connection ${connection.alias} is turned on.`,
    `The connection ${connection.alias} is turned off.`,
  ),
  gate(
    'switch',
    createSwitches(snapshot.states).isOn(connection, facts.name),
    'The tool is turned on.',
    'The tool is turned off: turn it on.',
  ),
  gate(
    'lock',
    held === undefined,
    'The tool is not on hold.',
    `The tool is on hold because its server changed it: \`toolway lock accept ${connection.alias} ${facts.name}\` accepts the change.`,
  ),
]

interface Wording {
  readonly tool: KnownTool
  readonly facts: Facts
  readonly caller: Caller
  readonly toolset: string
  readonly before: readonly Gate[]
  readonly told: Explained
}

function wordAll({ tool, facts, caller, toolset, before, told }: Wording): Explanation {
  const { verdict, rules, passes } = told
  const stop = before.find(({ stops }) => stops)
  const { id, kind, role, email, groups, key } = facts.principal
  const goesOn = stop === undefined && outcomeOf(verdict.action) !== 'refuses'
  return {
    tool: shownTool(tool.facts),
    caller: { id, kind, role, email, groups: [...groups], key, limit: caller.limit },
    toolset,
    before: [...before],
    rules: rules.map(wordRule),
    verdict: {
      action: stop === undefined ? verdict.action : 'none',
      rule: stop === undefined && verdict.rule !== undefined ? { ...verdict.rule } : null,
      says: stop === undefined ? wordVerdict(verdict) : `The call does not reach the rules. ${stop.why}`,
      place: verdict.rejected?.place ?? null,
      approvals: verdict.approvals.map(({ parameters }) => wordApprovers(parameters.by)),
      passes: [...passes],
    },
    changes: verdict.changes.map(({ place, how, from, to, rule }) => ({
      ...{ place, how, to, rule: rule.name },
      ...(from === undefined ? {} : { from }),
    })),
    sends: goesOn && facts.arguments !== undefined ? (verdict.arguments ?? null) : null,
    shadows: verdict.shadows.map(({ rule, would, problem = null }) => ({ rule: rule.name, would, problem })),
  }
}

const shownTool = ({ others: _, ...facts }: KnownTool['facts']): Explanation['tool'] => ({
  ...facts,
  effect: facts.effect as Effect,
})

const wordRule = ({ rule, of, state, speaks, because, why, reads, follows, passes }: RuleExplained) => ({
  ...{ ...rule, of: of ?? null, state, speaks, because: because ?? null, why },
  reads: reads.map(({ what, value }) => (value === undefined ? { what } : { what, value })),
  follows: follows ?? null,
  passes: [...passes],
})
