/**
 * The everything server: one McpServer with all that the conformance suites call, built for each request (modern) or session
 * (legacy).
 *
 * It holds no state of its own: the bus and the state codec belong to the process around it.
 */
import { McpServer } from '@modelcontextprotocol/server'
import type { RequestStateCodec, ServerEventBus } from '@modelcontextprotocol/server'
import { registerContentTools } from './content-tools.ts'
import { registerPrompts } from './prompts.ts'
import { registerPushTools, type Asks } from './push-tools.ts'
import { registerResources } from './resources.ts'
import { registerRoundTools } from './round-tools.ts'
import type { RoundState } from './round-tools.ts'
import { registerSchemaTools } from './schema-tools.ts'
import { registerSignalTools } from './signal-tools.ts'

/** The parts that every instance shares. */
export interface EverythingParts {
  bus: ServerEventBus
  states: RequestStateCodec<RoundState>
  /** How its older tools ask; by requests unless it is named. */
  asks?: Asks
}

/** Builds one instance; the caller connects it and closes it. */
export function createEverything({ bus, states, asks = 'pushed' }: EverythingParts): McpServer {
  const server = new McpServer(
    { name: 'everything-server', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: 'A fixture: call any tool.',
      cacheHints: { 'tools/list': { ttlMs: 1000, cacheScope: 'public' } },
      requestState: { verify: states.verify },
    },
  )
  registerContentTools(server)
  registerSchemaTools(server)
  registerSignalTools(server, bus)
  registerPushTools(server, asks)
  registerRoundTools(server, states)
  registerResources(server)
  registerPrompts(server)
  return server
}
