/**
 * Apps, their tools, a caller's accounts and calls, at the addresses and in the words of the source system Uru (ledger S0-PRX-04 to
 * S0-PRX-14). An app is a connection of which the caller sees a tool; a namespace is one account of the caller at an app, or the
 * app itself where there are no accounts to choose from.
 *
 * These are words for the listing and the call that every client has: whatever the endpoint's discovery mode, all tools are listed
 * and called by `tools/list` and `tools/call`.
 */
import { Fault } from '@toolway/contract'
import { isObject, NEWEST_LEGACY, strangerOf, type Json, type JsonObject } from '@toolway/protocol'
import { seenTools } from '../../call/discovery/seen.ts'
import type { Offered, ToolTarget } from '../../catalog/tool-listing.ts'
import type { AccountOf } from '../../snapshot/ports/credentials.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { nearestNames } from '../../lib/nearest-names.ts'
import { headerOf } from '../request-head.ts'
import {
  bareArguments,
  bodyOf,
  callTool,
  listAll,
  type Served,
  type ServeParts,
  type ToolExchange,
} from './ask-tools.ts'
import { executedForm } from './executed-form.ts'
import type { ToolWay } from './tool-addresses.ts'

type Serve = (parts: ServeParts, exchange: ToolExchange) => Served | Promise<Served>

const WAYS: Partial<Record<ToolWay, Serve>> = {
  'app list': async (parts, exchange) => ({
    body: (await appsOf(parts, exchange)).map(({ offered }) => appName(offered)),
  }),
  'app tools': listApp,
  'account list': listNamespaces,
  'tool version': toolVersion,
  'app call': execute,
  'platform call': executeOwn,
}

/** Undefined for the addresses of other systems. */
export const serveApps = (way: ToolWay): Serve | undefined => WAYS[way]

/** An error as the source system's client reads it: `code` is the word, and waits are in milliseconds. */
export function appProblem(way: ToolWay, { row, facts }: Fault, problem: object): object {
  if (WAYS[way] === undefined) return problem
  const { retry_after: seconds } = problem as { retry_after?: number }
  return {
    ...problem,
    code: row.word,
    error: row.word,
    ...(seconds === undefined ? {} : { retry_after_ms: seconds * 1000 }),
    ...(facts['version'] === undefined ? {} : { version: facts['version'] }),
  }
}

interface App {
  readonly offered: Offered
  readonly tools: readonly JsonObject[]
}

interface Namespace {
  readonly name: string
  readonly offered: Offered
  readonly account: AccountOf | undefined
}

/** As the source system writes them: "Company". */
const appName = ({ alias }: Offered): string => alias.slice(0, 1).toUpperCase() + alias.slice(1)

/** The published client writes names of apps and accounts so (source system, section 1.3). */
const normal = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')

/** All tools are in these lists, however few of them the endpoint shows to an agent at first. */
const direct = (exchange: ToolExchange): ToolExchange => {
  const { requestContext } = exchange
  const { toolListing } = requestContext
  const discovery = { ...toolListing.discovery, mode: 'direct' as const }
  return { ...exchange, requestContext: { ...requestContext, toolListing: { ...toolListing, discovery } } }
}

const appsOf = async (parts: ServeParts, exchange: ToolExchange): Promise<App[]> =>
  appsIn(exchange.requestContext, await listAll(parts, direct(exchange)))

/** The same without a request of its own, which would be counted beside the call. */
const appsSeen = ({ requestContext }: ToolExchange): App[] =>
  appsIn(requestContext, seenTools(requestContext, strangerOf(NEWEST_LEGACY)).values())

function appsIn({ toolListing }: RequestContext, tools: Iterable<JsonObject>): App[] {
  const apps = new Map<string, JsonObject[]>()
  for (const tool of tools) {
    const id = toolListing.tool(String(tool['name']))?.connectionId
    if (id === undefined) continue
    const own = apps.get(id) ?? []
    own.push(tool)
    apps.set(id, own)
  }
  return toolListing.offered.flatMap((offered) => {
    const own = apps.get(offered.connectionId)
    return own === undefined ? [] : [{ offered, tools: own }]
  })
}

async function namespacesOf(parts: ServeParts, exchange: ToolExchange, apps: readonly App[]): Promise<Namespace[]> {
  const taken = new Set<string>()
  const unique = (name: string): string => {
    const plain = normal(name)
    let free = plain
    for (let at = 1; taken.has(free); at++) free = `${plain}_${at}`
    taken.add(free)
    return free
  }
  const accounts = await Promise.all(apps.map(({ offered }) => accountsAt(parts, exchange, offered)))
  return apps.flatMap(({ offered }, at) => {
    const own = accounts[at] ?? []
    if (own.length < 2) return [{ name: unique(offered.alias), offered, account: own[0] }]
    return own.map((account) => ({ name: unique(`${offered.alias}_${account.account}`), offered, account }))
  })
}

const accountsAt = async (
  { credentials }: ServeParts,
  { requestContext: { organizationId, principal } }: ToolExchange,
  { connectionId, credentials: takes }: Pick<Offered, 'connectionId' | 'credentials'>,
): Promise<readonly AccountOf[]> =>
  takes === true && credentials !== undefined ? credentials.accountsOf({ organizationId, connectionId, principal }) : []

async function listApp(parts: ServeParts, exchange: ToolExchange): Promise<Served> {
  const apps = await appsOf(parts, exchange)
  const { offered } = await appNamed(parts, exchange, apps, exchange.address.name ?? '')
  return { body: [...(apps.find((app) => app.offered === offered)?.tools ?? [])] }
}

/** By its name, without regard to case, or by one of its namespaces. */
async function appNamed(
  parts: ServeParts,
  exchange: ToolExchange,
  apps: readonly App[],
  name: string,
): Promise<Pick<Namespace, 'offered' | 'account'>> {
  const plain = normal(name)
  const byName = apps.find(({ offered }) => offered.alias.toLowerCase() === name.toLowerCase())
  const byForm = byName ?? apps.find(({ offered }) => normal(offered.alias) === plain)
  if (byForm !== undefined) return { offered: byForm.offered, account: undefined }
  const namespaces = await namespacesOf(parts, exchange, apps)
  const found = namespaces.find((namespace) => namespace.name === plain || normal(shownName(namespace)) === plain)
  if (found === undefined) throw new Fault('thing.unknown', { thing: 'app' })
  return found
}

const shownName = ({ offered, account }: Namespace): string =>
  account === undefined
    ? (offered.title ?? appName(offered))
    : `${offered.title ?? appName(offered)} (${labelOf(account)})`

const labelOf = ({ name, account }: AccountOf): string => name ?? account

async function listNamespaces(parts: ServeParts, exchange: ToolExchange): Promise<Served> {
  const { version } = exchange.requestContext
  const apps = await appsOf(parts, exchange)
  const waits = exchange.requestContext.toolListing.offered.some(({ status }) => status === 'new')
  if (leastVersion(exchange) > version || (waits && apps.length === 0)) throw new Fault('tools.not-ready', { version })
  const namespaces = (await namespacesOf(parts, exchange, apps)).map((namespace): JsonObject => {
    const { name, offered, account } = namespace
    return {
      name,
      displayName: shownName(namespace),
      app: appName(offered),
      connected_account_id: account?.id ?? null,
      server_id: offered.connectionId,
      account_label: account === undefined ? null : labelOf(account),
      connection_status: statusOf(offered, account),
    }
  })
  return { body: { namespaces, version } }
}

const statusOf = ({ credentials }: Offered, account: AccountOf | undefined): string => {
  if (account === undefined) return credentials === true ? 'not_connected' : 'active'
  return account.problem === undefined ? 'active' : 'expired'
}

function leastVersion({ request }: ToolExchange): number {
  const { searchParams } = new URL(request.url ?? '/', 'http://gateway.invalid')
  const text = searchParams.get('min_version') ?? '0'
  if (!/^\d{1,15}$/.test(text))
    throw new Fault('body.shape', {
      place: 'min_version',
      problem: 'must be a version as returned by /tools/sync/version',
    })
  return Number(text)
}

/** The version grows with each change of what the organization offers, and is the same in every gateway. */
function toolVersion(_: ServeParts, { request, requestContext: { version, organization } }: ToolExchange): Served {
  const etag = `"${organization}-${version}"`
  const headers = { etag, 'cache-control': 'private, no-cache' }
  const known = (headerOf(request)('if-none-match') ?? '').split(',').map((value) => value.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*')) return { body: undefined, status: 304, headers }
  return { body: { version }, headers }
}

/** The members of the body, or headers, by which a caller chooses among its own (ledger S0-PRX-13). */
const CHOICES = {
  app: ['_app_context', 'x-app-context'],
  account: ['_connected_account_id', 'x-connected-account-id'],
  server: ['_server_id', 'x-server-id'],
} as const

type Choices = Readonly<Record<keyof typeof CHOICES, string | undefined>>

function choicesIn(exchange: ToolExchange, body: JsonObject): { choices: Choices; given: JsonObject } {
  const rest = { ...body }
  const header = headerOf(exchange.request)
  const choose = ([member, name]: (typeof CHOICES)[keyof typeof CHOICES]): string | undefined => {
    const value = rest[member]
    delete rest[member]
    if (value === undefined || value === null) return header(name)
    if (typeof value === 'string') return value === '' ? undefined : value
    throw new Fault('body.shape', { place: `/${member}`, problem: 'must be a string' })
  }
  const choices = { app: choose(CHOICES.app), account: choose(CHOICES.account), server: choose(CHOICES.server) }
  return { choices, given: rest }
}

async function execute(parts: ServeParts, exchange: ToolExchange): Promise<Served> {
  const { choices, given } = choicesIn(exchange, await bodyOf(parts, exchange))
  const slug = exchange.address.name ?? ''
  exchange.audit.note({ target: slug })
  const { name, tool, target, account } = await toolOf(parts, exchange, slug, choices)
  const named = bareArguments(given, hasArguments(tool))
  const chosen = account === undefined ? {} : chosenAccount(target, account)
  const result = await callTool(parts, direct(exchange), name, isObject(named) ? { ...named, ...chosen } : named)
  return { body: executedForm(result, exchange.audit.correlationId) }
}

/** A tool of the gateway itself, whatever the connection to it is called (ledger S0-PRX-10). */
async function executeOwn(parts: ServeParts, exchange: ToolExchange): Promise<Served> {
  const { toolListing } = exchange.requestContext
  const own = toolListing.offered.find(({ connector }) => connector === 'platform')
  const name = exchange.address.name ?? ''
  exchange.audit.note({ target: name })
  const listed = appsSeen(exchange).find(({ offered }) => offered === own)
  const tool = listed?.tools.find((value) => toolListing.tool(String(value['name']))?.name === name)
  if (tool === undefined) throw unlistedTool(name, listed?.tools.map((value) => String(value['name'])) ?? [])
  const result = await callTool(parts, direct(exchange), String(tool['name']), await bodyOf(parts, exchange))
  return { body: executedForm(result, exchange.audit.correlationId) }
}

interface Chosen {
  readonly name: string
  readonly tool: JsonObject | undefined
  readonly target: ToolTarget
  readonly account: AccountOf | undefined
}

/** The tool that a slug means: the name that lists show, or the server's own where only one of the chosen apps has it. */
async function toolOf(parts: ServeParts, exchange: ToolExchange, slug: string, choices: Choices): Promise<Chosen> {
  const { toolListing } = exchange.requestContext
  const apps = appsSeen(exchange)
  const app = choices.app === undefined ? undefined : await appNamed(parts, exchange, apps, choices.app)
  const isChosen = ({ connectionId }: Pick<ToolTarget, 'connectionId'>) =>
    (app === undefined || app.offered.connectionId === connectionId) &&
    (choices.server === undefined || choices.server === connectionId)
  const seen = apps.filter(({ offered }) => isChosen(offered)).flatMap(({ tools }) => tools)
  const names = seen.map(({ name }) => String(name))
  const named = toolListing.tool(slug)
  const own = names.filter((name) => toolListing.tool(name)?.name === slug)
  // A held tool is in no list; a call by its name is told so.
  const name = named !== undefined && isChosen(named) && (names.includes(slug) || own.length === 0) ? slug : own[0]
  if (own.length > 1 && name !== slug) throw new Fault('tool.ambiguous', { tool: slug, names: own.join(', ') })
  const target = name === undefined ? undefined : toolListing.tool(name)
  if (name === undefined || target === undefined) throw unlistedTool(slug, names)
  const account =
    choices.account === undefined ? app?.account : await accountNamed(parts, exchange, target, choices.account)
  return { name, tool: seen.find((value) => value['name'] === name), target, account }
}

function unlistedTool(tool: string, names: readonly string[]): Fault {
  const near = nearestNames(tool, names)
  const nearest = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}`
  return new Fault('tool.unlisted', { tool: tool.slice(0, 200), nearest })
}

/** Somebody else's account is unknown here like one that does not exist (ledger S0-PRX-14). */
async function accountNamed(
  parts: ServeParts,
  exchange: ToolExchange,
  target: ToolTarget,
  id: string,
): Promise<AccountOf> {
  const own = await accountsAt(parts, exchange, target)
  const found = own.find((account) => account.id === id)
  if (found === undefined) throw new Fault('thing.unknown', { thing: 'account' })
  return found
}

/** Where there is one account only, a tool has no argument that names it. */
const chosenAccount = ({ account: argument }: ToolTarget, { account }: AccountOf): Record<string, Json> =>
  argument === undefined ? {} : { [argument]: account }

const hasArguments = (tool: JsonObject | undefined): boolean => {
  const schema = tool?.['inputSchema']
  return isObject(schema) && isObject(schema['properties']) && Object.hasOwn(schema['properties'], 'arguments')
}
