/**
 * Toolway itself as an upstream: its tools are operations of the administration, carried out in this process for the caller. Nothing is
 * sent anywhere (ledger S0-DSC-06).
 */
import { Fault } from '@toolway/contract'
import { inputSchemaOf, PLATFORM_TOOLS, type PlatformTool } from '@toolway/contract/admin'
import { isObject, type JsonObject } from '@toolway/protocol'
import { createBreaker } from '../breaker.ts'
import { createListedUpstream, type ListedTool } from '../listed/listed-upstream.ts'
import type { Ask, Upstream } from '../upstream.ts'
import type { UpstreamContext } from '../upstreams.ts'

interface OwnTool extends ListedTool {
  readonly tool: PlatformTool
}

/** Nothing changes while the process runs. Milliseconds. */
const KEPT_FOR_MS = 24 * 3_600_000

export function createPlatformUpstream(
  alias: string,
  { now, onStateChange }: Pick<UpstreamContext, 'now' | 'onStateChange'>,
): Upstream {
  const tools = new Map(
    PLATFORM_TOOLS.map((tool): [string, OwnTool] => [tool.name, { tool, definition: definitionOf(tool) }]),
  )
  return createListedUpstream<OwnTool>({
    server: { name: 'toolway', title: 'Toolway' },
    // Its refusals are answers: nothing here is away.
    breaker: createBreaker({ alias, patience: KEPT_FOR_MS, now, onStateChange }),
    now,
    keptFor: KEPT_FOR_MS,
    staleFor: KEPT_FOR_MS,
    fetch: () => Promise.resolve({ tools, leftOut: [] }),
    call: ({ tool }, request) => call(alias, tool, request),
    onStale() {},
    onLeftOut() {},
    close: () => Promise.resolve(),
  })
}

async function call(connection: string, { name, person, operation }: PlatformTool, request: Ask): Promise<JsonObject> {
  const { operate, approved = false, params } = request
  if (operate === undefined) throw new Fault('upstream.disabled', { connection })
  // However its rules are: no agent widens its own rights by itself.
  if (person === true && !approved) throw new Fault('platform.person', { tool: name })
  const input = params['arguments']
  const answer = await operate(operation.id, isObject(input) ? input : {})
  // Through JSON, as it would be sent: moments become texts.
  const value = answer === undefined ? { done: true } : (JSON.parse(JSON.stringify(answer)) as JsonObject)
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

const definitionOf = ({ name, title, description, effect, operation }: PlatformTool): JsonObject => ({
  name,
  title,
  description,
  inputSchema: inputSchemaOf(operation) as JsonObject,
  annotations: {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destructive',
    idempotentHint: effect === 'read',
    openWorldHint: false,
  },
})
