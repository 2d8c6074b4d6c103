/**
 * Connections of each kind in each state, at real doubles of their servers: each at an address of its own, and wrong in the way in which
 * such a server is wrong.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestGateway } from '../../../../packages/gateway/src/testing/gateway.ts'
import { startAuthority } from '../authorities/authority.ts'
import { startProtected } from '../authorities/protected-server.ts'
import { API_KEY, startComposio } from '../composio/composio-double.ts'
import { startN8n } from '../n8n/n8n-double.ts'
import type { Ask } from '../people/administrators.ts'
import { createConnectingPerson } from '../people/connecting-person.ts'
import { startEffects } from '../servers/effects-server.ts'
import { startDouble, type OpenApiDouble } from '../servers/openapi-double.ts'
import { toolNames } from '../open-gateway.ts'
import { until } from '../until.ts'
import { createGitHub } from '../vendors/code.ts'
import { bearerOf, CLIENT, type Asked, type Said } from '../vendors/vendor.ts'

const CELL_STATES = [
  'needs app',
  'needs account',
  'refused',
  'expired',
  'unreachable',
  'connected',
  'disabled',
] as const
export type CellState = (typeof CELL_STATES)[number]

export interface Cell {
  readonly kind: string
  readonly state: CellState
  readonly alias: string
  /** What is called. */
  readonly tool: string
  readonly arguments: object
  /** Makes it, and everything that its state takes. */
  make(town: Town): Promise<void>
}

interface Town {
  readonly gateway: TestGateway
  readonly admin: Ask
  /** An administrator who signs in at pages. */
  readonly email: string
  readonly parts: AsyncDisposableStack
  /** Changes what no interface changes: the time. */
  expire(alias: string): Promise<void>
}

export const CONNECTORS = '/api/v1/admin/tenants/default/connectors'
const KEY = 'a-key-that-is-right'
const HOST = '127.0.0.7'

const done = async (answer: ReturnType<Ask>): Promise<void> => {
  const { status, text } = await answer
  if (status >= 300) throw new Error(`${status} ${text}`)
}

interface Vendor extends AsyncDisposable {
  readonly origin: string
}

async function readAsked(request: IncomingMessage, origin: string): Promise<Asked> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return {
    method: request.method ?? '',
    url: new URL(request.url ?? '', origin),
    header: (name) => request.headers[name]?.toString(),
    form: new URLSearchParams(body),
    json: undefined,
  }
}

async function startVendor(answer: (asked: Asked) => Said | undefined): Promise<Vendor> {
  const server = createServer((request, response) => {
    void readAsked(request, `http://${request.headers.host ?? ''}`).then((asked) => {
      const { status, json, location } = answer(asked) ?? { status: 404, json: { message: 'Not Found' } }
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(location === undefined ? {} : { location }),
      })
      response.end(JSON.stringify(json ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  return {
    origin: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}

/** GitHub at a server of its own: its accounts do not renew themselves. */
function createEnterprise() {
  const vendor = createGitHub({ expires: false })
  return {
    live: vendor.live as Set<string>,
    answer(asked: Asked): Said | undefined {
      const under = /^\/api\/v3(.*)$/.exec(asked.url.pathname)?.[1]
      const isApi = under === '/user/repos' || under === '/user'
      if (isApi && !vendor.live.has(bearerOf(asked))) return { status: 401, json: { message: 'Bad credentials' } }
      if (isApi) return { status: 200, json: under === '/user' ? { login: 'ada', id: 1 } : [] }
      return vendor.answer({ ...asked, url: new URL(asked.url.pathname + asked.url.search, 'https://github.com') })
    },
  }
}

async function signIn({ gateway, admin, email }: Town, alias: string): Promise<void> {
  const link = await admin(`POST ${CONNECTORS}/${alias}/link`, { owner: 'organization' })
  if (link.status !== 200) throw new Error(link.text)
  const person = createConnectingPerson(gateway.address, { email })
  const last = await person.open(String(link.body['url']))
  if (last.status !== 200 || !last.url.pathname.startsWith('/connect/done')) throw new Error(last.html)
}

/** As with `check: false`: whoever enters a key elsewhere is not asked to prove it. */
const giveKey = ({ admin }: Town, alias: string, key: string) =>
  done(admin(`POST ${CONNECTORS}/${alias}/accounts`, { key, owner: 'organization', check: false }))
const disable = ({ admin }: Town, alias: string) =>
  done(admin(`PATCH ${CONNECTORS}/${alias}/toggle`, { enabled: false }))
const add = ({ admin }: Town, body: object, to = CONNECTORS) =>
  done(admin(`POST ${to}`, { private: true, timeout: 20, ...body }))

interface Breakable {
  /** Its server takes the credential no more. */
  refuse(): unknown
  end(): unknown
}

/** An account that somebody signs in with, and what becomes of it. */
async function settleAccount(town: Town, alias: string, state: CellState, server: Breakable): Promise<void> {
  if (state === 'needs app' || state === 'needs account') return
  await signIn(town, alias)
  await settle(town, alias, state, server)
}

/** A key of the organization, as `settleAccount`. */
async function settleKey(town: Town, alias: string, state: CellState, server: Breakable): Promise<void> {
  if (state === 'needs account') return
  await giveKey(town, alias, KEY)
  await settle(town, alias, state, server)
}

/** Once its tools are known. */
async function settle(town: Town, alias: string, state: CellState, server: Breakable): Promise<void> {
  await until(`the tools of ${alias} are listed`, async () => {
    const names = await toolNames(town.gateway, town.gateway.connectionUrl(alias))
    return names.some((name) => !name.startsWith('toolway'))
  })
  if (state === 'expired') await town.expire(alias)
  if (state === 'refused') await server.refuse()
  if (state === 'unreachable') await server.end()
  if (state === 'disabled') await disable(town, alias)
}

type Kind = Omit<Cell, 'state' | 'alias' | 'make'> & {
  readonly states: readonly CellState[]
  make(town: Town, alias: string, state: CellState): Promise<void>
}

const WITH_KEY = ['needs account', 'refused', 'unreachable', 'connected', 'disabled'] as const
/** Its key is a header of the connection. */
const WITH_HEADER = ['refused', 'unreachable', 'connected', 'disabled'] as const

const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/orders': {
      get: {
        operationId: 'listOrders',
        responses: { 200: { description: 'ok', content: { 'application/json': { example: [] } } } },
      },
    },
  },
})

async function startShop({ parts }: Town) {
  const double = parts.use(await startDouble(DOCUMENT))
  double.wants = { header: 'authorization', value: `Bearer ${KEY}` }
  return double
}

const breakable = (double: OpenApiDouble): Breakable => ({
  refuse: () => void (double.wants = { header: 'authorization', value: 'Bearer another' }),
  end: () => double[Symbol.asyncDispose](),
})

const GITHUB = { kind: '', tool: 'github_list_repositories', arguments: {} }

const KINDS: readonly Kind[] = [
  {
    ...GITHUB,
    kind: 'native connector with OAuth',
    states: CELL_STATES,
    async make(town, alias, state) {
      const vendor = createEnterprise()
      const server = town.parts.use(await startVendor(vendor.answer))
      const url = `${server.origin}/api/v3`
      await add(town, { alias, connector: 'native', native: { vendor: 'github' }, url, auth: { kind: 'oauth' } })
      if (state !== 'needs app')
        await done(
          town.admin('POST /api/v1/oauth/default/config', {
            ...{ provider: 'github', client_id: CLIENT.id, client_secret: CLIENT.secret, server: url },
          }),
        )
      const end = () => server[Symbol.asyncDispose]()
      await settleAccount(town, alias, state, { refuse: () => vendor.live.clear(), end })
    },
  },
  {
    ...GITHUB,
    kind: 'native connector with a key',
    states: WITH_KEY,
    async make(town, alias, state) {
      const vendor = createEnterprise()
      vendor.live.add(KEY)
      const server = town.parts.use(await startVendor(vendor.answer))
      const url = `${server.origin}/api/v3`
      await add(town, { alias, connector: 'native', native: { vendor: 'github' }, url, auth: { kind: 'key' } })
      const end = () => server[Symbol.asyncDispose]()
      await settleKey(town, alias, state, { refuse: () => vendor.live.clear(), end })
    },
  },
  {
    kind: 'MCP server with OAuth',
    tool: 'who_am_i',
    arguments: {},
    states: ['needs account', 'refused', 'expired', 'unreachable', 'connected', 'disabled'],
    async make(town, alias, state) {
      const authority = town.parts.use(await startAuthority('registers', { refreshes: false }))
      const server = town.parts.use(await startProtected(authority))
      await add(town, { alias, url: server.url, auth: { kind: 'oauth' } })
      await settleAccount(town, alias, state, {
        refuse: () => authority.forget({ access: true }),
        end: () => server[Symbol.asyncDispose](),
      })
    },
  },
  {
    kind: 'MCP server with OAuth that nobody announced',
    tool: 'who_am_i',
    arguments: {},
    states: ['needs account', 'refused', 'expired', 'unreachable', 'connected', 'disabled'],
    async make(town, alias, state) {
      const authority = town.parts.use(await startAuthority('registers', { refreshes: false }))
      const server = town.parts.use(await startProtected(authority))
      await add(town, { alias, url: server.url })
      await settleAccount(town, alias, state, {
        refuse: () => authority.forget({ access: true }),
        end: () => server[Symbol.asyncDispose](),
      })
    },
  },
  {
    kind: 'MCP server with a key',
    tool: 'look_up',
    arguments: {},
    states: WITH_KEY,
    async make(town, alias, state) {
      const lock = { header: 'x-api-key', value: KEY }
      const server = town.parts.use(await startEffects(lock))
      await add(town, { alias, url: server.url, auth: { kind: 'key', header: 'X-API-Key', prefix: '' } })
      await settleKey(town, alias, state, {
        refuse: () => void (lock.value = 'another'),
        end: () => server[Symbol.asyncDispose](),
      })
    },
  },
  {
    kind: 'MCP server with a header',
    tool: 'look_up',
    arguments: {},
    states: WITH_HEADER,
    async make(town, alias, state) {
      const lock = { header: 'authorization', value: `Bearer ${KEY}` }
      const server = town.parts.use(await startEffects(lock))
      await add(town, { alias, url: server.url, headers: { Authorization: `Bearer ${KEY}` } })
      await settle(town, alias, state, {
        refuse: () => void (lock.value = 'another'),
        end: () => server[Symbol.asyncDispose](),
      })
    },
  },
  {
    kind: 'MCP server with a key in a header of its own',
    tool: 'look_up',
    arguments: {},
    states: WITH_HEADER,
    async make(town, alias, state) {
      const lock = { header: 'x-api-key', value: KEY }
      const server = town.parts.use(await startEffects(lock))
      await add(town, { alias, url: server.url, headers: { 'X-API-Key': KEY } })
      await settle(town, alias, state, {
        refuse: () => void (lock.value = 'another'),
        end: () => server[Symbol.asyncDispose](),
      })
    },
  },
  {
    kind: 'OpenAPI with a key',
    tool: 'listOrders',
    arguments: {},
    states: WITH_KEY,
    async make(town, alias, state) {
      const double = await startShop(town)
      await add(town, { alias, url: double.url, document: DOCUMENT, auth: { kind: 'key' } }, `${CONNECTORS}/openapi`)
      await settleKey(town, alias, state, breakable(double))
    },
  },
  {
    kind: 'OpenAPI with a header',
    tool: 'listOrders',
    arguments: {},
    states: WITH_HEADER,
    async make(town, alias, state) {
      const double = await startShop(town)
      const headers = { Authorization: `Bearer ${KEY}` }
      await add(town, { alias, url: double.url, document: DOCUMENT, headers }, `${CONNECTORS}/openapi`)
      await settle(town, alias, state, breakable(double))
    },
  },
  {
    kind: 'n8n',
    tool: 'find_clients',
    arguments: {},
    states: WITH_HEADER,
    async make(town, alias, state) {
      const webhook = { path: 'clients', httpMethod: 'GET', responseMode: 'lastNode' }
      const double = town.parts.use(
        await startN8n([
          {
            ...{ id: 'wf1', name: 'Find clients', active: true, tags: [{ name: 'toolway' }, { name: 'toolway:read' }] },
            nodes: [
              {
                ...{ name: 'Webhook', type: 'n8n-nodes-base.webhook', parameters: webhook },
                webhookId: '11111111-1111-4111-8111-111111111111',
              },
            ],
            run: () => ({ found: [] }),
          },
        ]),
      )
      const headers = { 'X-N8N-API-KEY': state === 'refused' ? 'another' : double.key }
      await add(town, { alias, connector: 'n8n', url: double.url, headers, n8n: { listed_for: 5 } })
      // Workflows run without the key: only one that never listed them has none to call.
      if (state === 'refused') return
      await settle(town, alias, state, { refuse: () => {}, end: () => double[Symbol.asyncDispose]() })
    },
  },
  {
    kind: 'Composio',
    tool: 'GMAIL_FETCH_EMAILS',
    arguments: {},
    states: WITH_HEADER,
    async make(town, alias, state) {
      const tools = [{ slug: 'GMAIL_FETCH_EMAILS', toolkit: 'gmail', tags: ['readOnlyHint'] }]
      const double = town.parts.use(await startComposio(tools))
      double.accounts.push({ id: 'ca_1', user: 'everybody', toolkit: 'gmail', status: 'ACTIVE' })
      const composio = { toolkits: ['gmail'], default_user: 'everybody', listed_for: 5 }
      const headers = { 'x-api-key': API_KEY }
      await add(town, { alias, connector: 'composio', url: double.url, headers, composio })
      const refuse = () => done(town.admin(`PUT ${CONNECTORS}/${alias}`, { headers: { 'x-api-key': 'ak_revoked' } }))
      await settle(town, alias, state, { refuse, end: () => double[Symbol.asyncDispose]() })
    },
  },
]

export const CELLS: readonly Cell[] = KINDS.flatMap(({ states, make, ...kind }, at) =>
  states.map((state) => {
    const alias = `k${at}-${state.replace(' ', '-')}`
    return { ...kind, state, alias, make: (town: Town) => make(town, alias, state) }
  }),
)
