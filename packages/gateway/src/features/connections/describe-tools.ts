/** The tools of a connection as they stand in their organization: what each does, whether it is on, and what keeps it back. */
import { ANYBODY, approvalOf, effectOf, ruleActionOf, statesEffect, type ToolFacts } from '@toolway/contract'
import type * as shapes from '@toolway/contract/admin'
import { isObject, joinName, type JsonObject } from '@toolway/protocol'
import { toolFacts } from '../../catalog/tool-listing.ts'
import { createEffects, createHolds, createSwitches, screenOf } from '../../snapshot/visibility-filter.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { createToolNames } from '../../snapshot/tool-names.ts'
import type { ConnectionRow } from '../../connections/connections.ts'

export interface DescribedTool {
  readonly tool: shapes.Tool
  /** As its server wrote it. */
  readonly definition: JsonObject
  readonly facts: ToolFacts
}

/** Reads the data shared by all connections once; the returned function then describes the tools of one connection, one after the other. */
export function describeTools({ organization, connections, rules, states, catalogs, toolsets }: Snapshot) {
  const switches = createSwitches(states)
  const effects = createEffects(states)
  const unswitched = connections.map((connection) => ({ ...connection, tools_default: true }))
  // With every name that endpoints give a tool, as a call is judged by.
  const withNames = createToolNames({ connections, catalogs, toolsets })
  const endpoint = { organization: organization.slug, toolset: 'default' }
  const visibilityFilter = screenOf(unswitched, [], rules, new Map(), withNames)(endpoint)

  return function* (connection: ConnectionRow): Generator<DescribedTool> {
    const catalog = catalogs.get(connection.id)
    const holds = createHolds(new Map([[connection.id, catalog?.held ?? []]]))
    const exposedNames = new Map(catalog?.names.map((name) => [`${name.kind} ${name.original}`, name.name]))
    const named = new Map<string, JsonObject>()
    for (const definition of catalog?.tools ?? []) {
      const { name } = definition
      if (typeof name === 'string' && !named.has(name)) named.set(name, definition)
    }
    for (const [name, definition] of named) {
      const isHeld = holds.find(connection, name) !== undefined
      const stated = effectOf(definition['annotations'])
      const resolved = effects.of(connection, name, stated, statesEffect(definition['annotations']))
      const facts = toolFacts(connection.alias, connection.settings.connector, definition, resolved)
      const policy = visibilityFilter.policy?.(facts, definition['inputSchema'])
      // A decision that depends on the caller is no property of the tool; `policy explain` shows it for one caller.
      const rule = policy?.varies === false ? policy.decide(ANYBODY).rule : undefined
      const enabled = switches.isOn(connection, name)
      const tool: shapes.Tool = {
        name,
        joined_name: exposedNames.get(`tool ${name}`) ?? joinName(connection.alias, name),
        title: titleOf(definition),
        description: textOf(definition['description']),
        effect: resolved.effect,
        effect_from: resolved.from,
        stated_effect: stated,
        approval: approvalOf(resolved, organization.settings.approvals),
        enabled,
        hidden_by: enabled
          ? isHeld
            ? 'hold'
            : rule !== undefined && ruleActionOf(rule.action).unlisted === true
              ? 'rule'
              : null
          : 'switch',
        rule: rule === undefined ? null : { id: rule.id, action: rule.action, reason: rule.reason },
      }
      yield { tool, definition, facts }
    }
  }
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
export const titleOf = ({ title, annotations }: JsonObject): string | null =>
  textOf(title) ?? (isObject(annotations) ? textOf(annotations['title']) : null)
