/**
 * The addresses of tools without MCP: as plain REST, as functions of a chat interface, as the operations of an OpenAPI document,
 * MCP's two methods as two addresses (ledger S1-MCP-07, S1-MCP-09, U-10), and apps with their tools and accounts as the proxy of
 * the source system Uru has them (ledger S0-PRX). They know forms only, as `addresses.ts` does.
 *
 * Below an endpoint all of them are served; at the root the flat one, which would take any name, is only where a preset says so.
 */
import type { EndpointPath } from '../../snapshot/ports/endpoint.ts'

export type ToolWay =
  | 'openapi'
  | 'mcp list'
  | 'mcp call'
  | 'rest list'
  | 'rest call'
  | 'functions list'
  | 'functions call'
  | 'flat call'
  | 'app list'
  | 'app tools'
  | 'account list'
  | 'tool version'
  | 'app call'
  | 'platform call'

/** Their forms below an endpoint, by which requests are counted. */
export const TEMPLATES: Readonly<Record<ToolWay, string>> = {
  openapi: 'openapi.json',
  'mcp list': 'mcp/tools/list',
  'mcp call': 'mcp/tools/call',
  'rest list': 'rest/tools',
  'rest call': 'rest/tools/{tool}/call',
  'functions list': 'openai/tools',
  'functions call': 'openai/tools/{tool}',
  'flat call': '{tool}',
  'app list': 'list/apps',
  'app tools': 'list/apps/{app}/tools',
  'account list': 'namespaces',
  'tool version': 'tools/sync/version',
  'app call': 'execute/{slug}',
  'platform call': 'platform/{tool}',
}

export interface ToolAddress {
  readonly way: ToolWay
  readonly place: EndpointPath
  /** Path prefix of this endpoint's addresses; empty at the root. */
  readonly base: string
  /** The one method it takes. */
  readonly method: 'GET' | 'POST'
  /** The tool that the path names, or the app. */
  readonly name: string | undefined
}

const FORMS: readonly { form: RegExp; way: ToolWay; method: 'GET' | 'POST' }[] = [
  { form: /^\/openapi\.json$/, way: 'openapi', method: 'GET' },
  { form: /^\/mcp\/tools\/list\/?$/, way: 'mcp list', method: 'POST' },
  { form: /^\/mcp\/tools\/call\/?$/, way: 'mcp call', method: 'POST' },
  { form: /^\/rest\/tools\/?$/, way: 'rest list', method: 'GET' },
  { form: /^\/rest\/tools\/([^/]+)\/call$/, way: 'rest call', method: 'POST' },
  { form: /^\/openai\/tools\/?$/, way: 'functions list', method: 'GET' },
  { form: /^\/openai\/tools\/([^/]+)$/, way: 'functions call', method: 'POST' },
  { form: /^\/(?:list\/apps|resources)\/?$/, way: 'app list', method: 'GET' },
  { form: /^\/(?:list\/apps|resources)\/([^/]+)(?:\/tools)?$/, way: 'app tools', method: 'GET' },
  { form: /^\/namespaces\/?$/, way: 'account list', method: 'GET' },
  { form: /^\/tools\/sync\/version$/, way: 'tool version', method: 'GET' },
  { form: /^\/execute\/([^/]+)$/, way: 'app call', method: 'POST' },
  { form: /^\/platform\/([^/]+)$/, way: 'platform call', method: 'POST' },
]
const ENDPOINT = /^(\/o\/([\w-]+)\/t\/([\w-]+))(\/.*)$/
const FLAT = /^\/([^/]+)$/

/** One-part addresses that are something else, here or in the source system. A tool of such a name has its REST address. */
const TAKEN = new Set([
  'mcp',
  'sse',
  'messages',
  'health',
  'metrics',
  'policy',
  'progress',
  'openapi.json',
  'sign-in',
  'sign-up',
  'robots.txt',
  'favicon.ico',
  'namespaces',
  'resources',
  'platform',
])

export const isFlatName = (name: string): boolean => !TAKEN.has(name)

/** @param flat whether the root takes the name of a tool */
export function toolAddressOf(path: string, flat: boolean): ToolAddress | undefined {
  const found = ENDPOINT.exec(path)
  const [, base = '', organization = '', toolset = '', below = path] = found ?? []
  const place = found === null ? {} : { organization, toolset }
  for (const { form, way, method } of FORMS) {
    const named = form.exec(below)
    if (named !== null) return { way, method, place, base, name: nameIn(named[1]) }
  }
  if (!flat && found === null) return undefined
  const name = nameIn(FLAT.exec(below)?.[1])
  return name === undefined || !isFlatName(name) ? undefined : { way: 'flat call', method: 'POST', place, base, name }
}

/** Undefined where it is nothing that could be written in a path. */
function nameIn(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part)
  } catch {
    return undefined
  }
}
