/** Builds the parts of the workbench from the settings of the process: the way to remote tools, and the bridge over it. */
import { Refusal } from '../refusal.ts'
import { WorkbenchBridge } from './bridge.ts'
import { createComposioWorkbenches } from './composio-workbench.ts'
import { FilePlane } from './file-plane.ts'
import { createOwnWorkbenches } from './own-workbench.ts'
import { ComposioRest, COMPOSIO_URL } from './remote/composio-rest.ts'
import { McpClient, type Server } from './remote/mcp-client.ts'
import { McpTools } from './remote/mcp-tools.ts'
import { createPresigned, type Presigned } from './remote/presigned.ts'
import { createSessionMemory, stateFolder, type SessionMemory } from './remote/session-memory.ts'
import { NO_WAY, readWorkbenchSettings, type Environment, type OwnWorkbench, type Way } from './settings.ts'

/** The parts that the tools of one process share. */
export interface Connected {
  readonly bridge: WorkbenchBridge
  readonly presigned: Presigned
  readonly user: string | undefined
  /** The way into Composio's storage. Throws a `Refusal` where there is none. */
  storage(): { readonly rest: ComposioRest } | { readonly gateway: McpTools }
  /** The files of the gateway. Throws a `Refusal` where none is set. */
  filePlane(): FilePlane
}

/** Milliseconds that a storage may be silent. */
const STORAGE_PATIENCE_MS = 120_000

/** Throws a `Refusal` that names the variable which is wrong or missing. */
export function connect(environment: Environment): Connected {
  const settings = readWorkbenchSettings(environment)
  const { way } = settings
  const gateway = way?.kind === 'gateway' ? way : undefined
  const presigned = createPresigned({
    trusted: gateway === undefined ? undefined : new URL(gateway.url).origin,
    guarded: once(() => guardedDispatcher(environment)),
  })
  const memory = createSessionMemory(stateFolder(environment))
  const tools = once(() => toolsOf(way, memory))
  const filePlane = once(() => {
    if (gateway === undefined) throw new Refusal('Set TOOLWAY_URL and TOOLWAY_KEY to use the files of a gateway.')
    return new FilePlane({ ...gateway, presigned })
  })
  const client =
    settings.own === undefined
      ? createComposioWorkbenches({ tools: tools(), presigned, filePlane })
      : ownOf(settings.own, environment)
  return {
    bridge: new WorkbenchBridge(client, settings.user),
    presigned,
    user: settings.user,
    storage() {
      if (way === undefined) throw new Refusal(NO_WAY, 'NEEDS_AUTH')
      const found = tools()
      if (way.kind === 'gateway' && found instanceof McpTools) return { gateway: found }
      const url = way.kind === 'rest' ? (way.url ?? COMPOSIO_URL) : COMPOSIO_URL
      return { rest: found instanceof ComposioRest ? found : new ComposioRest({ key: way.key, url, memory }) }
    },
    filePlane,
  }
}

function toolsOf(way: Way | undefined, memory: SessionMemory): ComposioRest | McpTools {
  if (way === undefined) throw new Refusal(NO_WAY, 'NEEDS_AUTH')
  if (way.kind === 'rest') {
    return new ComposioRest({ key: way.key, url: way.url ?? COMPOSIO_URL, memory })
  }
  const isGateway = way.kind === 'gateway'
  const remote = {
    name: isGateway ? 'The gateway' : 'Composio',
    headers: isGateway ? { authorization: `Bearer ${way.key}` } : { 'x-api-key': way.key },
    secret: way.key,
    keyVariable: isGateway ? 'TOOLWAY_KEY' : 'COMPOSIO_API_KEY',
  }
  return new McpTools({
    client: new McpClient({ url: mcpAddressOf(way.url), remote }),
    alias: isGateway ? way.alias : 'composio',
  })
}

function ownOf({ server, ...own }: OwnWorkbench, environment: Environment) {
  const name = 'The workbench'
  const there: Server =
    'command' in server
      ? { name, command: server.command, environment }
      : {
          url: server.url,
          remote: {
            name,
            headers: server.key === undefined ? {} : { authorization: `Bearer ${server.key}` },
            secret: server.key ?? '\u0000',
            keyVariable: 'TOOLWAY_WORKBENCH_KEY',
          },
        }
  return createOwnWorkbenches({ client: new McpClient(there), ...own })
}

/** A gateway may be named without the path of its MCP endpoint. */
function mcpAddressOf(text: string): string {
  const url = new URL(text)
  if (url.pathname === '/') url.pathname = '/mcp'
  return url.href
}

/** Connects as the crawler does, to public addresses only unless the toolkit was started otherwise. */
async function guardedDispatcher(environment: Environment) {
  const [{ createAgent }, { readCrawlSettings }] = await Promise.all([
    import('../crawl/fetch/connector.ts'),
    import('../crawl/settings.ts'),
  ])
  return createAgent({
    ...readCrawlSettings(environment),
    headersTimeout: STORAGE_PATIENCE_MS,
    bodyTimeout: STORAGE_PATIENCE_MS,
  })
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
