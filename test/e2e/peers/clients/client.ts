/**
 * The official clients behind one face, so that a story can be told once for all of them: SDK 2 in both eras, SDK 1.
 *
 * Nothing is softened: what a client throws, it throws here; what it gets, it gives.
 */
import { Client as ClientTwo, StreamableHTTPClientTransport as TransportTwo } from '@modelcontextprotocol/client'
import type { ClientOptions, Transport, VersionNegotiationMode } from '@modelcontextprotocol/client'
import { Client as ClientOne } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOne } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { lastingOne, lastingTwo, type Way } from './lasting-transports.ts'

export const KINDS = ['SDK 2 by discovery', 'SDK 2 pinned to 2026-07-28', 'SDK 2 legacy', 'SDK 1'] as const
export type Kind = (typeof KINDS)[number]
export const eraOfKind = (kind: Kind): 'modern' | 'legacy' =>
  kind === 'SDK 2 legacy' || kind === 'SDK 1' ? 'legacy' : 'modern'

export interface Named {
  readonly name: string
  readonly uri?: string
  readonly uriTemplate?: string
  readonly [field: string]: unknown
}
export interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly [field: string]: unknown }[]
  readonly isError?: boolean
  readonly structuredContent?: unknown
  readonly _meta?: Record<string, unknown>
}
export interface Message {
  readonly method: string
  readonly params?: Record<string, unknown> | undefined
}
export interface CallOptions {
  /**
   * SDK clients remove the listener when the answer arrives, and deliver progress that arrived together with it a moment later:
   * the last notifications may be missing. The messages on the wire are tested by hand (streams.test.ts).
   */
  readonly onprogress?: (progress: { progress: number; total?: number | undefined }) => void
  readonly signal?: AbortSignal
  readonly timeout?: number
}
export type Reference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

export interface McpClient extends AsyncDisposable {
  readonly kind: Kind
  readonly revision: string | undefined
  readonly capabilities: Record<string, unknown>
  readonly instructions: string | undefined
  /** Every notification that is no progress, in order. */
  readonly heard: readonly Message[]
  /** The questions that the server put to the user or the model. */
  readonly asked: readonly Message[]
  tools(): Promise<readonly Named[]>
  call(name: string, given?: Record<string, unknown>, options?: CallOptions): Promise<Result>
  resources(): Promise<readonly Named[]>
  templates(): Promise<readonly Named[]>
  read(uri: string): Promise<readonly { uri: string; text?: string; blob?: string }[]>
  prompts(): Promise<readonly Named[]>
  prompt(name: string, given?: Record<string, string>): Promise<readonly { content: Result['content'][number] }[]>
  complete(ref: Reference, name: string, value: string): Promise<readonly string[]>
  ping(): Promise<unknown>
  setLevel(level: 'debug' | 'warning'): Promise<unknown>
  /** Legacy clients only: the folders are others now. */
  changeRoots(): Promise<unknown>
  subscribe(uri: string): Promise<unknown>
  unsubscribe(uri: string): Promise<unknown>
  /** Modern clients only. */
  listen(filter: {
    toolsListChanged?: boolean
    promptsListChanged?: boolean
    resourceSubscriptions?: string[]
  }): Promise<{ close(): Promise<void> }>
}

export interface ClientParts {
  readonly kind: Kind
  /** Streamable HTTP if unsaid. */
  readonly way?: Way
  readonly url: string
  readonly key: string
  /** Whether it can be asked by servers; it then says what `ANSWERS` says. */
  readonly answers?: boolean
  /** Whether it opens pages for its person, and how; it says that it does, and does not wait until the page is done with. */
  readonly opens?: (url: string) => Promise<unknown>
  readonly headers?: Record<string, string>
}

/** The client's answers to requests of a server. */
export const ANSWERS = {
  form: {
    action: 'accept' as const,
    content: { account: 'prod', name: 'Ada', username: 'ada', email: 'ada@example.com', ok: true },
  },
  roots: { roots: [{ uri: 'file:///work', name: 'work' }] },
  sampled: { model: 'test', role: 'assistant' as const, content: { type: 'text' as const, text: 'Paris' } },
}
const ASKABLE = { elicitation: {}, sampling: {}, roots: { listChanged: true } }
const SELF = { name: 'e2e', version: '1.0.0' }

/** Connects; closing it ends its session. */
export const connectClient = (parts: ClientParts): Promise<McpClient> =>
  parts.kind === 'SDK 1' ? connectOne(parts) : connectTwo(parts, transportTwo(parts))

/** An official client over a transport of the test's own, as programs between it and the gateway need. */
export const connectOver = (transport: Transport, kind: Kind = 'SDK 2 legacy', answers = false): Promise<McpClient> => {
  const parts = { kind, url: '', key: '', answers }
  return kind === 'SDK 1' ? connectOne(parts, transport) : connectTwo(parts, transport)
}

const headersOf = ({ key, headers = {} }: ClientParts) => ({
  requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
})
const PAGES = { elicitation: { url: {} } }
/** Accepts a request to open a page. */
function agree(open: (url: string) => Promise<unknown>, { params }: Message) {
  // Errors on the page are detected by the story that the page belongs to.
  void open(String(params?.['url'])).catch(() => {})
  return { action: 'accept' as const }
}
const transportTwo = (parts: ClientParts): Transport =>
  parts.way === undefined || parts.way === 'http'
    ? new TransportTwo(new URL(parts.url), headersOf(parts))
    : lastingTwo(parts.way, parts.url, parts.key)

const MODES: Readonly<Record<Exclude<Kind, 'SDK 1'>, VersionNegotiationMode>> = {
  'SDK 2 by discovery': 'auto',
  'SDK 2 pinned to 2026-07-28': { pin: '2026-07-28' },
  'SDK 2 legacy': 'legacy',
}

async function connectTwo({ kind, answers = false, opens }: ClientParts, transport: Transport): Promise<McpClient> {
  if (kind === 'SDK 1') throw new TypeError('not a kind of SDK 2')
  const options: ClientOptions = {
    versionNegotiation: { mode: MODES[kind] },
    ...(answers ? { capabilities: ASKABLE } : opens === undefined ? {} : { capabilities: PAGES }),
  }
  const client = new ClientTwo(SELF, options)
  const heard: Message[] = []
  const asked: Message[] = []
  client.fallbackNotificationHandler = async (message) => void heard.push(message)
  if (opens !== undefined)
    client.setRequestHandler('elicitation/create', (request) => {
      asked.push(request)
      return agree(opens, request)
    })
  if (answers) {
    client.setRequestHandler('elicitation/create', (request) => {
      asked.push(request)
      return ANSWERS.form
    })
    client.setRequestHandler('sampling/createMessage', (request) => {
      asked.push(request)
      return ANSWERS.sampled
    })
    client.setRequestHandler('roots/list', (request) => {
      asked.push(request)
      return ANSWERS.roots
    })
  }
  await client.connect(transport)
  return {
    kind,
    heard,
    asked,
    revision: client.getNegotiatedProtocolVersion(),
    capabilities: { ...client.getServerCapabilities() },
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools(undefined, FRESH)).tools,
    call: async (name, given = {}, options = {}) =>
      (await client.callTool({ name, arguments: given }, options)) as Result,
    resources: async () => (await client.listResources(undefined, FRESH)).resources,
    templates: async () => (await client.listResourceTemplates(undefined, FRESH)).resourceTemplates,
    read: async (uri) => (await client.readResource({ uri }, FRESH)).contents,
    prompts: async () => (await client.listPrompts(undefined, FRESH)).prompts,
    prompt: async (name, given = {}) => (await client.getPrompt({ name, arguments: given })).messages,
    complete: async (ref, name, value) => (await client.complete({ ref, argument: { name, value } })).completion.values,
    ping: () => client.ping(),
    setLevel: (level) => client.setLoggingLevel(level),
    changeRoots: () => client.sendRootsListChanged(),
    subscribe: (uri) => client.subscribeResource({ uri }),
    unsubscribe: (uri) => client.unsubscribeResource({ uri }),
    listen: (filter) => client.listen(filter),
    [Symbol.asyncDispose]: async () => {
      if (transport instanceof TransportTwo && transport.sessionId !== undefined) await transport.terminateSession()
      await client.close()
    },
  }
}
/** The SDK's own cache is not under test. */
const FRESH = { cacheMode: 'refresh' as const }

async function connectOne(
  { kind, answers = false, opens, ...parts }: ClientParts,
  own?: Transport,
): Promise<McpClient> {
  const client = new ClientOne(
    SELF,
    answers ? { capabilities: ASKABLE } : opens === undefined ? {} : { capabilities: PAGES },
  )
  const heard: Message[] = []
  const asked: Message[] = []
  client.fallbackNotificationHandler = async (message) => void heard.push(message)
  if (opens !== undefined)
    client.setRequestHandler(ElicitRequestSchema, (request) => {
      asked.push(request)
      return agree(opens, request)
    })
  if (answers) {
    client.setRequestHandler(ElicitRequestSchema, (request) => {
      asked.push(request)
      return ANSWERS.form
    })
    client.setRequestHandler(CreateMessageRequestSchema, (request) => {
      asked.push(request)
      return ANSWERS.sampled
    })
    client.setRequestHandler(ListRootsRequestSchema, (request) => {
      asked.push(request)
      return ANSWERS.roots
    })
  }
  const { way = 'http', url, key } = parts
  const http =
    own === undefined && way === 'http' ? new TransportOne(new URL(url), headersOf({ kind, ...parts })) : undefined
  let revision: string | undefined
  const lasting = () => lastingOne(way === 'sse' ? 'sse' : 'socket', url, key, (told) => (revision = told))
  const transport = http ?? (own as TransportOne | undefined) ?? lasting()
  await client.connect(transport)
  return {
    kind,
    heard,
    asked,
    revision: http?.protocolVersion ?? revision,
    capabilities: { ...client.getServerCapabilities() },
    instructions: client.getInstructions(),
    tools: () => allPages('tools', (params) => client.listTools(params)),
    call: async (name, given = {}, options = {}) =>
      (await client.callTool({ name, arguments: given }, undefined, options)) as unknown as Result,
    resources: () => allPages('resources', (params) => client.listResources(params)),
    templates: () => allPages('resourceTemplates', (params) => client.listResourceTemplates(params)),
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompts: () => allPages('prompts', (params) => client.listPrompts(params)),
    prompt: async (name, given = {}) => (await client.getPrompt({ name, arguments: given })).messages,
    complete: async (ref, name, value) => (await client.complete({ ref, argument: { name, value } })).completion.values,
    ping: () => client.ping(),
    setLevel: (level) => client.setLoggingLevel(level),
    changeRoots: () => client.sendRootsListChanged(),
    subscribe: (uri) => client.subscribeResource({ uri }),
    unsubscribe: (uri) => client.unsubscribeResource({ uri }),
    listen: () => Promise.reject(new TypeError('SDK 1 has no listen')),
    [Symbol.asyncDispose]: async () => {
      await http?.terminateSession()
      await client.close()
    },
  }
}

/** SDK 1 gives pages; SDK 2 walks them itself. */
async function allPages<Member extends string>(
  member: Member,
  page: (params: { cursor?: string }) => Promise<{ nextCursor?: string | undefined } & Record<Member, unknown>>,
): Promise<Named[]> {
  const items: Named[] = []
  for (let cursor: string | undefined; ;) {
    const found = await page(cursor === undefined ? {} : { cursor })
    items.push(...(found[member] as Named[]))
    cursor = found.nextCursor
    if (cursor === undefined) return items
  }
}

/** The first text of a tool's result. */
export const textOf = ({ content }: { content: readonly { text?: string }[] }) => content[0]?.text ?? ''
