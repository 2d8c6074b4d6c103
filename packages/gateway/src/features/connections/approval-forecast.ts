/**
 * How many tools of a connection will ask for an approval, for a person who just added it.
 *
 * Each tool is decided by the compiled rules that decide calls, the setting of the organization among them, for the caller who asks. The
 * second number comes from the same decision over the same tools with a server that is trusted; nothing is judged here.
 */
import { outcomeOf, type Facts, type PrincipalFacts } from '@toolway/contract'
import type { ApprovalForecast } from '@toolway/contract/admin'
import { createSwitches } from '../../snapshot/visibility-filter.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { toolsOf, type KnownTool } from '../../snapshot/tools-of.ts'

const TOOLSET = 'default'

export function forecastApprovals(
  snapshot: Pick<Snapshot, 'organization' | 'rules' | 'catalogs' | 'states' | 'toolsets'>,
  connection: ConnectionRow,
  principal: PrincipalFacts,
): ApprovalForecast {
  const { catalogs, states, toolsets } = snapshot
  const endpoint = { organization: snapshot.organization.slug, toolset: TOOLSET }
  const facts: Facts = {
    principal,
    context: { ...endpoint, time: new Date().toISOString(), address: '' },
  }
  const switches = createSwitches(states)
  const callable = (trusted: boolean): KnownTool[] => {
    const known = toolsOf({ connections: [{ ...connection, trusted }], catalogs, states, toolsets })
    return known.names
      .flatMap((name) => known.joined(name) ?? [])
      .filter((tool) => tool.held === undefined && switches.isOn(connection, tool.facts.name))
  }
  const asks = ({ facts: tool, schema }: KnownTool): boolean => {
    const verdict = snapshot.rules.of(tool, endpoint, schema)?.decide(facts)
    return verdict !== undefined && outcomeOf(verdict.action) === 'waits'
  }
  const now = callable(connection.trusted)
  const asking = now.filter(asks)
  const trusted = callable(true)
  const readOnly = new Set(trusted.flatMap(({ facts: { name, effect } }) => (effect === 'read' ? [name] : [])))
  return {
    tools: now.length,
    asking: asking.length,
    marked: asking.filter(({ facts: { name, effectFrom } }) => effectFrom === 'unknown' && readOnly.has(name)).length,
    asking_if_trusted: trusted.filter(asks).length,
    trusted: connection.trusted,
  }
}
