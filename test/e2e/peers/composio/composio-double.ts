/**
 * Composio as its OpenAPI description (version 3.1) has it: tools, executions, connected accounts, connect links, auth configs and tool
 * router sessions, and MCP servers from the official SDK. Members, queries and headers that the description does not have are refused,
 * and so is a key that is none.
 */
import { randomBytes } from 'node:crypto'
import { copyFile, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { createSandboxes, type Sandboxes } from './sandbox-double.ts'
import { createStorage, type StorageDouble } from './storage-double.ts'

export interface DoubleTool {
  readonly slug: string
  readonly toolkit: string
  readonly input?: object
  readonly tags?: readonly string[]
  readonly noAuth?: boolean
  readonly deprecated?: boolean
}

export interface DoubleAccount {
  readonly id: string
  readonly user: string
  readonly toolkit: string
  readonly alias?: string
  status: 'ACTIVE' | 'INITIATED' | 'EXPIRED'
}

export interface Executed {
  readonly way: 'rest' | 'session' | 'mcp'
  readonly slug: string
  readonly user: string
  readonly account: string | undefined
  readonly arguments: Record<string, unknown>
}

export interface ComposioDouble extends AsyncDisposable {
  readonly url: string
  readonly executed: readonly Executed[]
  /** Paths and queries of all requests. */
  readonly asked: readonly string[]
  /** The headers of every request, its key left out. */
  readonly headers: Record<string, unknown>[]
  readonly accounts: DoubleAccount[]
  /** Ends all sessions of the tool router. */
  endSessions(): void
  /** Awaited before each execution by REST is carried out. */
  gate: (() => Promise<unknown>) | undefined
  /** In place of the next answers of executions, one for each: a status, a cut connection, or the answer itself. */
  readonly next: ('cut' | number | object)[]
  /** Links that were made, by their token. */
  readonly links: ReadonlyMap<string, { account: string; callback: string }>
  readonly storage: StorageDouble
  readonly sandboxes: Sandboxes
  /** The form in which CODEINTERPRETER_GET_FILE_CMD gives a file: text (which breaks bytes), base64, an address, or as an SDK leaves it. */
  getFile: 'text' | 'base64' | 'address' | 'downloaded'
  /** In place of the next files that it gives. */
  readonly nextGetFile: object[]
}

export const API_KEY = 'ak_test'

interface Acted {
  readonly data: object
  readonly successful: boolean
  readonly error: string | null
  readonly log_id: string
}

const Slug = z.string().min(1)
const BODIES = {
  execute: z.strictObject({
    connected_account_id: z.string().startsWith('ca_').optional(),
    user_id: z.string().min(1).optional(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    text: z.string().optional(),
    version: z.string().optional(),
  }),
  link: z.strictObject({
    auth_config_id: z.string().startsWith('ac_'),
    user_id: z.string().min(1),
    callback_url: z.url().optional(),
    connection_data: z.record(z.string(), z.unknown()).optional(),
  }),
  authConfig: z.strictObject({ toolkit: z.strictObject({ slug: Slug }), auth_config: z.looseObject({}).optional() }),
  session: z.strictObject({
    user_id: z.string().min(1),
    toolkits: z
      .union([z.strictObject({ enable: z.array(Slug) }), z.strictObject({ disable: z.array(Slug) })])
      .optional(),
    manage_connections: z.strictObject({ enable: z.boolean().optional(), callback_url: z.url().optional() }).optional(),
  }),
  sessionExecute: z.strictObject({
    tool_slug: Slug,
    arguments: z.record(z.string(), z.unknown()).optional(),
    account: z.string().optional(),
  }),
  sessionMeta: z.strictObject({
    slug: z.enum([
      'COMPOSIO_GET_TOOL_SCHEMAS',
      'COMPOSIO_SEARCH_TOOLS',
      'COMPOSIO_MULTI_EXECUTE_TOOL',
      'COMPOSIO_MANAGE_CONNECTIONS',
      'COMPOSIO_WAIT_FOR_CONNECTIONS',
      'COMPOSIO_REMOTE_WORKBENCH',
      'COMPOSIO_REMOTE_BASH_TOOL',
    ]),
    arguments: z.record(z.string(), z.unknown()).optional(),
  }),
}
/** The arguments of the tools that do something here. */
const RunCode = z.looseObject({ code_to_execute: z.string().min(1), session_id: z.string().optional() })
const GetFile = z.strictObject({ file_path: z.string().startsWith('/home/user/') })
const Mail = z.looseObject({
  attachment: z.union([
    z.strictObject({ name: z.string(), mimetype: z.string(), s3key: z.string() }),
    z.array(z.strictObject({ name: z.string(), mimetype: z.string(), s3key: z.string() })),
  ]),
})
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/tools': [
    'toolkit_slug',
    'tool_slugs',
    'search',
    'important',
    'limit',
    'cursor',
    'tags',
    'scopes',
    'toolkit_versions',
  ],
  '/connected_accounts': ['toolkit_slugs', 'statuses', 'user_ids', 'auth_config_ids', 'cursor', 'limit', 'order_by'],
  '/auth_configs': ['toolkit_slug', 'search', 'cursor', 'limit'],
}
const META: Tool[] = ['COMPOSIO_SEARCH_TOOLS', 'COMPOSIO_MANAGE_CONNECTIONS', 'COMPOSIO_REMOTE_WORKBENCH'].map(
  (name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object' as const, properties: {} },
  }),
)
META.push({
  name: 'COMPOSIO_MULTI_EXECUTE_TOOL',
  description: 'Runs several tools.',
  inputSchema: { type: 'object' as const, properties: { tools: { type: 'array' } }, required: ['tools'] },
})

export interface ComposioOptions {
  readonly pageSize?: number
  /** The API key of the project. */
  readonly key?: string
  /** Bytes that a body may have. */
  readonly bodyLimit?: number
  /** The tools of workbench and mail do what they say: scripts run, files are read, attachments have to be in the storage. */
  readonly acts?: boolean
  /** Whether the code of scripts is kept with the calls; false for transfers of gigabytes. */
  readonly keepsCode?: boolean
}

export async function startComposio(
  tools: readonly DoubleTool[],
  {
    pageSize = 1000,
    key = API_KEY,
    bodyLimit = 64 * 1024 * 1024,
    acts: isActing = false,
    keepsCode = true,
  }: ComposioOptions = {},
): Promise<ComposioDouble> {
  const storage = await createStorage()
  const sandboxes = await createSandboxes()
  const executed: Executed[] = []
  const asked: string[] = []
  const headers: Record<string, unknown>[] = []
  const accounts: DoubleAccount[] = []
  const next: ComposioDouble['next'] = []
  const sessions = new Map<string, string>()
  const state = { gate: undefined as ComposioDouble['gate'] }
  const links = new Map<string, { account: string; callback: string }>()
  const configs = new Map<string, string>()
  let made = 0
  let origin = ''

  const say = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  const refuse = (response: ServerResponse, status: number, message: string, fix = '') =>
    say(response, status, {
      error: { message, code: status, status, request_id: `req_${++made}`, suggested_fix: fix, errors: [] },
    })

  const toolShown = ({ slug, toolkit, input, tags = [], noAuth = false, deprecated = false }: DoubleTool) => ({
    slug,
    name: slug.toLowerCase().replaceAll('_', ' '),
    description: `Does ${slug}.`,
    toolkit: { slug: toolkit, name: toolkit, logo: '' },
    input_parameters: input ?? { type: 'object', properties: { to: { type: 'string' }, text: { type: 'string' } } },
    output_parameters: { type: 'object', properties: {} },
    no_auth: noAuth,
    tags,
    scopes: [],
    version: '20260101_00',
    available_versions: ['20260101_00'],
    is_deprecated: deprecated,
  })
  const accountShown = ({ id, user, toolkit, alias, status }: DoubleAccount) => ({
    id,
    user_id: user,
    status,
    status_reason: status === 'EXPIRED' ? 'the refresh token was revoked' : null,
    toolkit: { slug: toolkit },
    auth_config: { id: `ac_${toolkit}`, auth_scheme: 'OAUTH2', is_composio_managed: true, is_disabled: false },
    ...(alias === undefined ? {} : { alias }),
    is_disabled: false,
    created_at: '2026-11-01T10:00:00.000Z',
    state: { authScheme: 'OAUTH2', val: { access_token: 'REDACTED' } },
  })

  /** The tools that do something here: data, or the words of a failure. */
  async function actOfOwn({ slug, arguments: given }: Executed, session: string): Promise<object | string | undefined> {
    if (!isActing) return undefined
    if (slug === 'COMPOSIO_REMOTE_WORKBENCH') {
      const asked = RunCode.safeParse(given)
      if (!asked.success) return `Invalid arguments: ${asked.error.issues[0]?.message}`
      return sandboxes.run(session, asked.data.code_to_execute)
    }
    if (slug === 'CODEINTERPRETER_GET_FILE_CMD') {
      const asked = GetFile.safeParse(given)
      if (!asked.success) return `Invalid arguments: ${asked.error.issues[0]?.message}`
      return fileOf(join(sandboxes.homeOf(session), asked.data.file_path.slice('/home/user'.length)))
    }
    const mail = slug === 'GMAIL_SEND_EMAIL' ? Mail.safeParse(given) : undefined
    const missing = [mail?.data?.attachment ?? []].flat().find(({ s3key }) => !storage.uploads.has(s3key))
    return missing === undefined ? undefined : `The file ${missing.s3key} does not exist in the storage`
  }

  /** The storage is another host than Composio. */
  const storedAt = () => origin.replace('127.0.0.1', 'localhost')

  async function fileOf(path: string): Promise<object | string> {
    const instead = double.nextGetFile.shift()
    if (instead !== undefined) return instead
    const bytes = await readFile(path).catch(() => undefined)
    if (bytes === undefined) return 'File not found'
    if (double.getFile === 'text') return { content: bytes.toString() }
    if (double.getFile === 'base64') return { content: bytes.toString('base64') }
    if (double.getFile === 'address')
      return { file: { name: 'file', mimetype: 'application/octet-stream', s3url: storage.address(path, storedAt()) } }
    const uri = join(tmpdir(), `composio-sdk-${randomBytes(8).toString('hex')}`)
    await copyFile(path, uri)
    return { file: { uri, file_downloaded: true } }
  }

  /** What a tool does: `fail` and `slow` in its text make it so. */
  async function act(one: Executed, session = `user-${one.user}`): Promise<Acted> {
    executed.push(keepsCode ? one : { ...one, arguments: { ...one.arguments, code_to_execute: '' } })
    const log_id = `log_${executed.length}`
    const failed = (error: string) => ({ data: {}, successful: false, error, log_id })
    if (one.arguments['text'] === 'fail') return failed('the recipient is unknown')
    const own = await actOfOwn(one, session)
    if (typeof own === 'string') return failed(own)
    if (own !== undefined) return { data: own, successful: true, error: null, log_id }
    return { data: { did: one.slug, for: one.user, with: one.account ?? null }, successful: true, error: null, log_id }
  }

  const acted = (response: ServerResponse, one: Executed, session?: string) =>
    void act(one, session).then((answer) => say(response, 200, answer))

  /** A session says nothing of success: there is an error, or there is none. */
  const actedInSession = (response: ServerResponse, one: Executed, session: string) =>
    void act(one, session).then(({ successful: _, ...answer }) => say(response, 200, answer))

  const accountFor = (user: string | undefined, id: string | undefined, toolkit: string) =>
    accounts.find(
      (one) =>
        one.toolkit === toolkit &&
        one.status === 'ACTIVE' &&
        (id === undefined ? one.user === user : one.id === id && (user === undefined || one.user === user)),
    )

  function page(response: ServerResponse, url: URL, items: readonly unknown[]): void {
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const limit = Math.min(Number(url.searchParams.get('limit') ?? 20), pageSize)
    const to = from + limit
    say(response, 200, {
      items: items.slice(from, to),
      next_cursor: to < items.length ? String(to) : null,
      total_items: items.length,
      total_pages: Math.ceil(items.length / limit),
      current_page: 1,
    })
  }

  function list(response: ServerResponse, url: URL, path: string): void {
    const strange = [...url.searchParams.keys()].find((name) => QUERIES[path]?.includes(name) !== true)
    if (strange !== undefined) return refuse(response, 400, `Unrecognized query parameter: ${strange}`)
    const toolkit = url.searchParams.get('toolkit_slug')
    if (path === '/tools')
      return page(response, url, tools.filter((one) => toolkit === null || one.toolkit === toolkit).map(toolShown))
    if (path === '/auth_configs') {
      const found = [...configs].filter(([slug]) => toolkit === null || slug === toolkit)
      return page(
        response,
        url,
        found.map(([slug, id]) => ({ id, toolkit: { slug } })),
      )
    }
    const users = url.searchParams.get('user_ids')?.split(',')
    const slugs = url.searchParams.get('toolkit_slugs')?.split(',')
    const meant = accounts.filter(
      ({ user, toolkit: slug }) => (users?.includes(user) ?? true) && (slugs?.includes(slug) ?? true),
    )
    return page(response, url, meant.map(accountShown))
  }

  function execute(response: ServerResponse, slug: string, body: z.output<typeof BODIES.execute>): void {
    const tool = tools.find((one) => one.slug === slug)
    if (tool === undefined) return refuse(response, 404, `Tool ${slug} not found`, 'List the tools first.')
    const { user_id: user, connected_account_id: id } = body
    if (user === undefined && id === undefined)
      return refuse(response, 400, 'user_id or connected_account_id is required')
    const account = tool.noAuth === true ? undefined : accountFor(user, id, tool.toolkit)
    if (account === undefined && tool.noAuth !== true)
      return refuse(response, 400, `No active connected account found for ${tool.toolkit}`, 'Connect an account first.')
    const given = { way: 'rest' as const, slug, user: user ?? account?.user ?? '', account: account?.id }
    return acted(response, { ...given, arguments: body.arguments ?? {} })
  }

  function post(response: ServerResponse, path: string, raw: unknown): void {
    const checked = <Shape extends z.ZodType>(shape: Shape, then: (body: z.output<Shape>) => void) => {
      const body = shape.safeParse(raw)
      if (body.success) then(body.data)
      else
        refuse(response, 400, body.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '))
    }
    const [, slug] = /^\/tools\/execute\/([^/]+)$/.exec(path) ?? []
    if (slug !== undefined) return checked(BODIES.execute, (body) => execute(response, decodeURIComponent(slug), body))
    if (path === '/auth_configs')
      return checked(BODIES.authConfig, ({ toolkit }) => {
        configs.set(toolkit.slug, `ac_${toolkit.slug}`)
        say(response, 201, { toolkit, auth_config: { id: `ac_${toolkit.slug}`, auth_scheme: 'OAUTH2' } })
      })
    if (path === '/connected_accounts/link')
      return checked(BODIES.link, ({ auth_config_id: config, user_id: user, callback_url: callback = '' }) => {
        const token = `ln_${++made}`
        const account = `ca_link${made}`
        accounts.push({ id: account, user, toolkit: config.slice(3), status: 'INITIATED' })
        links.set(token, { account, callback })
        say(response, 201, {
          link_token: token,
          redirect_url: `${origin}/link/${token}`,
          expires_at: '2027-01-01T00:00:00Z',
          connected_account_id: account,
        })
      })
    if (path === '/tool_router/session')
      return checked(BODIES.session, ({ user_id: user, toolkits }) => {
        const id = `trs_${++made}`
        sessions.set(id, user)
        const enabled = toolkits !== undefined && 'enable' in toolkits ? toolkits.enable : []
        say(response, 201, {
          session_id: id,
          mcp: { type: 'http', url: `${origin}/tool_router/v3/${id}/mcp` },
          tool_router_tools: META.map(({ name }) => name),
          config: { user_id: user, toolkits: { enabled } },
        })
      })
    if (path === '/files/upload/request') {
      try {
        return say(response, 200, storage.begin(raw, origin))
      } catch (thrown) {
        return refuse(response, 400, thrown instanceof z.ZodError ? (thrown.issues[0]?.message ?? '') : String(thrown))
      }
    }
    const [, meta] = /^\/tool_router\/session\/([^/]+)\/execute_meta$/.exec(path) ?? []
    if (meta !== undefined)
      return checked(BODIES.sessionMeta, ({ slug: tool, arguments: given = {} }) => {
        const user = sessions.get(meta)
        if (user === undefined) return refuse(response, 404, `Session ${meta} not found`)
        return actedInSession(
          response,
          { way: 'session', slug: tool, user, account: undefined, arguments: given },
          meta,
        )
      })
    const [, id] = /^\/tool_router\/session\/([^/]+)\/execute$/.exec(path) ?? []
    if (id === undefined) return refuse(response, 404, 'Not found')
    return checked(BODIES.sessionExecute, ({ tool_slug: tool, arguments: given = {} }) => {
      const user = sessions.get(id)
      if (user === undefined) return refuse(response, 404, `Session ${id} not found`)
      const known = tools.find((one) => one.slug === tool)
      if (known === undefined) return refuse(response, 404, `Tool ${tool} not found`)
      const account = accountFor(user, undefined, known.toolkit)?.id
      return actedInSession(response, { way: 'session', slug: tool, user, account, arguments: given }, id)
    })
  }

  /** An MCP server of one user, made by the official SDK. */
  function serveMcp(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const [, session] = /^\/tool_router\/v3\/([^/]+)\/mcp$/.exec(url.pathname) ?? []
    const [, server] = /^\/composio\/server\/([^/]+)\/mcp$/.exec(url.pathname) ?? []
    const user = session === undefined ? url.searchParams.get('user_id') : sessions.get(session)
    if (user === null || user === undefined) return refuse(response, 404, 'Not found')
    const account = url.searchParams.get('connected_account_id') ?? undefined
    const shown: Tool[] =
      session === undefined
        ? tools
            .filter(({ toolkit }) => toolkit === server?.replace(/^srv-/, ''))
            .map((one) => ({
              name: one.slug,
              description: `Does ${one.slug}.`,
              inputSchema: { type: 'object' as const, properties: { text: { type: 'string' } } },
              annotations: { readOnlyHint: one.tags?.includes('readOnlyHint') === true },
            }))
        : META
    const handler = createMcpHandler(() => {
      const mcp = new Server({ name: 'composio', version: '1.0.0' }, { capabilities: { tools: {} } })
      mcp.setRequestHandler('tools/list', () => ({ tools: shown }))
      mcp.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
        const { name, arguments: given = {} } = params
        const token = params._meta?.progressToken
        for (const progress of token === undefined || given['text'] !== 'slow' ? [] : [1, 2])
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken: token ?? 0, progress, total: 2, message: `part ${progress}` },
          })
        const way = session === undefined ? ('mcp' as const) : ('session' as const)
        const answer = await act({ way, slug: name, user, account, arguments: given }, session)
        return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
      })
      return mcp
    })
    void toNodeHandler({ fetch: (one: Request) => handler.fetch(one) })(request as NodeIncomingMessageLike, response)
  }

  /** The page at which a user connects an account; here everybody does at once, and is led back. */
  function finish(response: ServerResponse, token: string): void {
    const { account, callback } = links.get(token) ?? { account: '', callback: '' }
    const made = accounts.find(({ id }) => id === account)
    if (made === undefined) return void response.writeHead(404).end('This link has expired.')
    made.status = 'ACTIVE'
    const back = new URL(callback)
    for (const [name, value] of [
      ['status', 'success'],
      ['connected_account_id', account],
    ] as const)
      back.searchParams.set(name, value)
    response.writeHead(302, { location: back.href }).end()
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname.startsWith('/storage/')) return storage.serve(request, response)
    if (url.pathname.startsWith('/link/')) return finish(response, url.pathname.slice('/link/'.length))
    asked.push(`${request.method} ${url.pathname}${url.search}`)
    const given = request.headers['x-api-key']
    if (given === undefined) return refuse(response, 401, 'Missing API key', 'Send your project key as x-api-key.')
    if (given !== key) return refuse(response, 401, 'Invalid API key')
    const isMcp = url.pathname.endsWith('/mcp')
    const acts = request.method === 'POST' && (isMcp || url.pathname.includes('/execute'))
    const instead = acts && !isMcp ? next.shift() : undefined
    if (instead === 'cut') return void request.socket.destroy()
    if (acts && !isMcp) await state.gate?.()
    if (isMcp) return serveMcp(request, response, url)
    if (!url.pathname.startsWith('/api/v3.1')) return refuse(response, 404, 'Not found')
    const path = url.pathname.slice('/api/v3.1'.length)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (chunks.reduce((sum, { length }) => sum + length, 0) > bodyLimit)
      return refuse(response, 413, 'Payload too large')
    if (typeof instead === 'number')
      return instead === 429
        ? say(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '1' })
        : say(response, instead, {})
    if (instead !== undefined) return say(response, 200, instead)
    if (request.method === 'GET' && QUERIES[path] !== undefined) return list(response, url, path)
    const [, session] = /^\/tool_router\/session\/([^/]+)\/toolkits$/.exec(path) ?? []
    if (request.method === 'GET' && session !== undefined)
      return sessions.has(session) ? page(response, url, []) : refuse(response, 404, `Session ${session} not found`)
    const [, account] = /^\/connected_accounts\/([^/]+)$/.exec(path) ?? []
    if (request.method === 'DELETE' && account !== undefined) {
      const index = accounts.findIndex(({ id }) => id === account)
      if (index < 0) return refuse(response, 404, 'Connected account not found')
      accounts.splice(index, 1)
      return say(response, 200, { success: true })
    }
    if (request.method !== 'POST') return refuse(response, 404, 'Not found')
    if (url.search !== '') return refuse(response, 400, 'Unrecognized query parameters')
    if (request.headers['content-type']?.startsWith('application/json') !== true)
      return refuse(response, 415, 'The body must be JSON')
    let body: unknown
    try {
      body = JSON.parse(Buffer.concat(chunks).toString())
    } catch {
      return refuse(response, 400, 'The body is not JSON')
    }
    return post(response, path, body)
  }

  const http = createServer((request, response) => {
    headers.push({ ...request.headers, 'x-api-key': undefined })
    serve(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const double: ComposioDouble = {
    url: origin,
    getFile: 'text',
    nextGetFile: [],
    storage,
    sandboxes,
    executed,
    asked,
    headers,
    accounts,
    next,
    links,
    get gate() {
      return state.gate
    },
    set gate(next) {
      state.gate = next
    },
    endSessions: () => sessions.clear(),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      http.closeAllConnections()
      await closed
      await Promise.all([storage[Symbol.asyncDispose](), sandboxes[Symbol.asyncDispose]()])
    },
  }
  return double
}
