/**
 * The attributes that many spans of calls have alike: the caller, the endpoint and the tool of a call, and the server of a request.
 * Each set is encoded once and kept, up to a bound.
 */
import { eraOf } from '@toolway/protocol'
import type { Target } from '../catalog/tool-listing.ts'
import type { AttributeSink, SameAttributes } from '../lib/span-scope.ts'
import type { Entry } from '../records/records.ts'

export interface KnownAttributes {
  callOf(entry: Entry, named: Named): SameAttributes
  requestTo(target: Target, method: string, named: Named): SameAttributes
}

/** The subject of a span. */
export interface Named {
  /** `{method} {target}`, where the target is one of few. */
  readonly title: string
  readonly tool?: string | undefined
  readonly prompt?: string | undefined
}

export function namesOf(method: string, target: string | undefined): Named {
  if (target === undefined || target === '') return { title: method }
  if (method === 'tools/call') return { title: `${method} ${target}`, tool: target }
  return method === 'prompts/get' ? { title: `${method} ${target}`, prompt: target } : { title: method }
}

const MOST_KNOWN = 2_000

export function createKnownAttributes(): KnownAttributes {
  const known = new Map<string, SameAttributes>()
  function kept(key: string, make: () => SameAttributes): SameAttributes {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make()
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(key, made)
    return made
  }
  return {
    callOf(entry, named) {
      const { era_client, organization, principal, toolset, connection, outcome, decision } = entry
      const { title } = named
      const key = `${title}\n${era_client}\n${organization}\n${principal}\n${toolset}\n${connection}\n${outcome}\n${decision}`
      return kept(key, () => ({ write: (to) => describeCall(to, entry, named) }))
    },
    requestTo({ alias, connector, revision }, method, named) {
      const key = `${named.title}\n${alias}\n${connector}\n${revision}`
      return kept(key, () => ({ write: (to) => describeRequest(to, { alias, connector, revision }, method, named) }))
    },
  }
}

function describeCall(to: AttributeSink, entry: Entry, named: Named): void {
  to.text('mcp.method.name', entry.method)
  describe(to, named)
  to.text('mcp.protocol.version', entry.era_client)
  to.text('network.transport', 'tcp')
  to.text('toolway.step', entry.method === 'tools/call' ? 'tool_call' : undefined)
  to.text('toolway.organization', entry.organization)
  to.text('toolway.principal', entry.principal)
  to.text('toolway.toolset', entry.toolset)
  to.text('toolway.connection', entry.connection)
  to.text('toolway.outcome', entry.outcome)
  to.text('toolway.decision', entry.decision)
}

function describeRequest(
  to: AttributeSink,
  { alias, connector, revision }: Pick<Target, 'alias' | 'connector' | 'revision'>,
  method: string,
  named: Named,
): void {
  to.text('mcp.method.name', method)
  describe(to, named)
  to.text('mcp.protocol.version', revision)
  to.text('network.transport', connector?.endsWith('process') === true ? 'pipe' : 'tcp')
  to.text('server_name', alias)
  to.text('toolway.connection', alias)
  to.text('toolway.era', eraOf(revision))
  to.text('toolway.step', 'mcp.request')
}

function describe(to: AttributeSink, { tool, prompt }: Named): void {
  if (tool !== undefined) {
    to.text('gen_ai.operation.name', 'execute_tool')
    to.text('gen_ai.tool.name', tool)
    to.text('tool_name', tool)
  }
  to.text('gen_ai.prompt.name', prompt)
}
