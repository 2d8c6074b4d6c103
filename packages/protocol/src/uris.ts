/**
 * Resource addresses of several servers on one endpoint, rewritten so that the way back needs no memory.
 *
 * `file:///a` of connection `docs` becomes `toolway://docs/file:///a`; `ui://` and `skill://` keep their scheme, because
 * hosts act on it, and take the alias as their authority. A prefix keeps URI templates valid. Text is never rewritten.
 */
import { isObject, type Json, type JsonObject } from './json.ts'

const KEPT_SCHEMES = ['ui://', 'skill://']
const OWN_SCHEME = 'toolway://'

export function joinUri(alias: string, uri: string): string {
  const scheme = KEPT_SCHEMES.find((stored) => uri.startsWith(stored))
  return scheme === undefined ? `${OWN_SCHEME}${alias}/${uri}` : `${scheme}${alias}/${uri.slice(scheme.length)}`
}

/** The alias and the server's own address, or undefined for an address that this gateway did not make. */
export function splitUri(uri: string): { alias: string; uri: string } | undefined {
  const scheme = [OWN_SCHEME, ...KEPT_SCHEMES].find((known) => uri.startsWith(known))
  if (scheme === undefined) return undefined
  const slash = uri.indexOf('/', scheme.length)
  if (slash === -1) return undefined
  const rest = uri.slice(slash + 1)
  return { alias: uri.slice(scheme.length, slash), uri: scheme === OWN_SCHEME ? rest : scheme + rest }
}

type Rewrite = (uri: string) => string

/** Rewrite the addresses of a result that mean resources: links, embedded resources, contents, prompt messages. */
export function rewriteResult(result: JsonObject, rewrite: Rewrite): JsonObject {
  const changed: JsonObject = { ...result }
  if (Array.isArray(result['content']))
    changed['content'] = result['content'].map((block) => rewriteBlock(block, rewrite))
  if (Array.isArray(result['contents']))
    changed['contents'] = result['contents'].map((item) => rewriteUri(item, rewrite))
  if (Array.isArray(result['messages']))
    changed['messages'] = result['messages'].map((item) => rewriteMessage(item, rewrite))
  return changed
}

function rewriteBlock(block: Json, rewrite: Rewrite): Json {
  if (!isObject(block)) return block
  if (block['type'] === 'resource_link') return rewriteUri(block, rewrite)
  if (block['type'] === 'resource') return { ...block, resource: rewriteUri(block['resource'] ?? null, rewrite) }
  return block
}

const rewriteMessage = (message: Json, rewrite: Rewrite): Json =>
  isObject(message) && 'content' in message
    ? { ...message, content: rewriteBlock(message['content'] ?? null, rewrite) }
    : message

const rewriteUri = (value: Json, rewrite: Rewrite): Json =>
  isObject(value) && typeof value['uri'] === 'string' ? { ...value, uri: rewrite(value['uri']) } : value

/** Members of a tool's `_meta` that name its page beside `ui`: the older form of MCP Apps, and that of OpenAI's Apps SDK. */
export const PAGE_MEMBERS = ['ui/resourceUri', 'openai/outputTemplate'] as const

/** A tool's `_meta.ui.resourceUri` (and each flat key) points at a resource too (MCP Apps). */
export function rewriteToolMeta(definition: JsonObject, rewrite: Rewrite): JsonObject {
  const meta = definition['_meta']
  if (!isObject(meta)) return definition
  const changed: JsonObject = { ...meta }
  const ui = meta['ui']
  if (isObject(ui) && typeof ui['resourceUri'] === 'string')
    changed['ui'] = { ...ui, resourceUri: rewrite(ui['resourceUri']) }
  for (const member of PAGE_MEMBERS) {
    const address = meta[member]
    if (typeof address === 'string') changed[member] = rewrite(address)
  }
  return { ...definition, _meta: changed }
}
