/**
 * The tools and prompts of one endpoint under the names that its clients see. A name is given once: a tool that is left out keeps its
 * name, so that no limit and no switch changes the name of another.
 */
import {
  ANYBODY,
  effectOf,
  kindOf,
  lesserLimit,
  reaches,
  resolveEffect,
  statesEffect,
  type Effect,
  type Limit,
  type ResolvedEffect,
} from '@toolway/contract'
import { headerParameters, isObject, joinName, joinNameApart, wrapsOutput, type JsonObject } from '@toolway/protocol'
import { filePlacesOf } from '../lib/file-places.ts'
import { accountArgument } from './account-choice.ts'
import {
  targetOf,
  toolFacts,
  type Offered,
  type VisibilityFilter,
  type Selects,
  type Target,
  type ToolTarget,
} from './tool-listing.ts'

/** One tool or prompt, and the connection that it belongs to. */
export interface Listed {
  readonly from: Offered
  readonly definition: JsonObject
}

export type ListedTool = Listed & { readonly target: ToolTarget }
export type ListedPrompt = Listed & { readonly target: Target }

/** The parts of an endpoint that its items are chosen and named by. */
export interface Endpoint {
  readonly offered: readonly Offered[]
  readonly joined: boolean
  readonly selects: Selects
  readonly visibilityFilter: VisibilityFilter
}

export function collectTools(endpoint: Endpoint): Map<string, ListedTool> {
  const tools = new Map<string, ListedTool>()
  const off = new Set<string>()
  for (const from of endpoint.offered)
    for (const definition of from.tools) {
      const parameters = headerParameters(definition['inputSchema'])
      const name = nameFor(endpoint, tools, { from, definition }, from.names?.tools)
      // A tool whose header marks are wrong may not be offered (specification 2026-07-28, custom headers).
      if (name === undefined || parameters === undefined) continue
      const { isOff, target } = judgeTool(endpoint.visibilityFilter, from, definition)
      if (isOff) off.add(name)
      tools.set(name, { from, definition, target: { ...target, headerParameters: parameters } })
    }
  for (const [name, { target }] of tools)
    if (off.has(name) || !reaches(limitOf(endpoint.selects, target.alias), target.effect)) tools.delete(name)
  return tools
}

export function collectPrompts(endpoint: Endpoint): Map<string, ListedPrompt> {
  const prompts = new Map<string, ListedPrompt>()
  for (const from of endpoint.offered)
    for (const definition of from.prompts) {
      const name = nameFor(endpoint, prompts, { from, definition }, from.names?.prompts)
      if (name !== undefined) prompts.set(name, { from, definition, target: targetOf(from, definition) })
    }
  return prompts
}

/** How far the tools of a connection may reach at an endpoint. */
export function limitOf(selects: Selects, alias: string): Limit {
  const own = selects.limitOf?.(alias)
  return own === undefined ? selects.limit : lesserLimit(selects.limit, own)
}

/** A tool with what its administrators and the rules say of it; `isOff`: it is offered to nobody. */
function judgeTool(visibilityFilter: VisibilityFilter, from: Offered, definition: JsonObject) {
  const { alias } = from
  const visibility = visibilityFilter.tool(alias, String(definition['name']))
  const visible = visibility === 'off' ? undefined : visibility
  const resolved = effectIn(visibilityFilter, from, definition, visible?.effect)
  const policy = visibilityFilter.policy?.(
    toolFacts(alias, from.connector, definition, resolved),
    definition['inputSchema'],
  )
  const hidden = policy?.varies === false && policy.decide(ANYBODY).action === 'hide'
  const target = {
    ...targetOf(from, definition),
    effect: resolved.effect,
    effectFrom: resolved.from,
    repeats: mayRepeat(definition['annotations']),
    account: from.chooses === true ? accountArgument(definition) : undefined,
    wraps: wrapsOutput(definition),
    needsTask: taskSupportOf(definition) === 'required',
    held: visible,
    policy,
    checkedBy: from.checks === true ? { definition, absentNulls: from.absentNulls === true } : undefined,
    keepsPayload: from.keepsPayloads === true,
    ...filesOf(from, definition),
  }
  return { isOff: visibility === 'off' || hidden, target }
}

/** Only the marks of a schema that the gateway itself makes or knows count. */
const filesOf = ({ connector }: Offered, { inputSchema }: JsonObject) =>
  kindOf(connector)?.usesFiles === true ? { usesFiles: true, filePlaces: filePlacesOf(inputSchema) } : {}

/** Undefined for an item that the endpoint does not take, or that its server lists twice. */
function nameFor(
  { joined, selects }: Endpoint,
  taken: ReadonlyMap<string, Listed>,
  { from, definition: { name } }: Listed,
  givenNames: ReadonlyMap<string, string> | undefined,
): string | undefined {
  if (typeof name !== 'string') return undefined
  const rule = joinName(from.alias, name)
  if (!selects.tool(from.alias, rule)) return undefined
  const full = givenNames?.get(name) ?? rule
  let free = joined ? full : name
  for (let apart = name; ; apart += '\u0000') {
    const holder = taken.get(free)
    if (holder === undefined) return free
    // An item that a server lists twice is one item; a name in use is never given to another item.
    if (holder.from === from && holder.definition['name'] === name) return undefined
    free = joinNameApart(from.alias, apart)
  }
}

const effectIn = (
  visibilityFilter: VisibilityFilter,
  { alias, connector }: Pick<Offered, 'alias' | 'connector'>,
  definition: JsonObject,
  accepted: Effect | undefined,
): ResolvedEffect =>
  visibilityFilter.effect?.(alias, definition, accepted) ??
  resolveEffect(accepted ?? effectOf(definition['annotations']), {
    ...{ connector, trusted: false },
    isStated: accepted === undefined ? statesEffect(definition['annotations']) : undefined,
  })

/**
 * The hints are believed here: whoever gives a wrong one is asked twice itself, with what it was sent already, and nobody else
 * is (ADR 0024).
 */
const mayRepeat = (annotations: unknown): boolean =>
  effectOf(annotations) === 'read' ||
  (typeof annotations === 'object' && annotations !== null && 'idempotentHint' in annotations
    ? annotations.idempotentHint === true
    : false)

const taskSupportOf = ({ execution }: JsonObject) => (isObject(execution) ? execution['taskSupport'] : undefined)
