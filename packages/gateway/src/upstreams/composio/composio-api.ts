/**
 * Composio's REST interface, version 3.1 (https://docs.composio.dev, `/api/v3.1`): tools, executions, accounts and tool router sessions.
 *
 * A failed tool is answered with 200 and `successful: false`; every other status is a failure of the platform, in the envelope
 * `{error: {message, code, suggested_fix, …}}`.
 */
import { Fault } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { header, type Incoming } from '@toolway/protocol/client'
import { statusRefusedOf } from '../status-refused.ts'
import { refusalOf } from '../http/refusal.ts'
import type { Act, JsonBackend, Saying } from '../listed/json-backend.ts'

const VERSION = '/api/v3.1'
const MOST_WORDS = 2_000
/** Items for one request, and requests for one list. */
const PAGE = 500
const MOST_PAGES = 40
/** Composio cannot be reached behind its own proxy; this says nothing of the tool. */
const AWAY = new Set([502, 503, 504])

export interface ComposioApi {
  /** All tools of these toolkits. */
  tools(toolkits: readonly string[]): Promise<readonly JsonObject[]>
  /** The accounts of a user, of these toolkits or of all. */
  accounts(user: string, toolkits: readonly string[]): Promise<readonly JsonObject[]>
  /** The address at which a user connects an account of a toolkit. */
  link(user: string, toolkit: string, callback: string): Promise<string>
  remove(account: string): Promise<void>
  /** A session of the tool router for a user. */
  session(user: string, toolkits: readonly string[]): Promise<{ id: string; mcp: string }>
  /** False where Composio knows it no more; true where that cannot be told. */
  hasSession(id: string): Promise<boolean>
  /** Where the content of a file for a tool is to be sent. Its answer is for the gateway: it has a signed address. */
  upload(tool: string, body: JsonObject, saying: Saying): Promise<JsonObject>
  /** One request that may act. `what`: the tool, for whoever reads of a failure. Throws `connector.*` and `upstream.*`. */
  send(what: string, act: Act, saying: Saying): Promise<JsonObject>
}

export const createComposioApi = (alias: string, backend: JsonBackend): ComposioApi => new RestApi(alias, backend)

class RestApi implements ComposioApi {
  readonly #alias: string
  readonly #backend: JsonBackend

  constructor(alias: string, backend: JsonBackend) {
    this.#alias = alias
    this.#backend = backend
  }

  async tools(toolkits: readonly string[]) {
    const lists = await Promise.all(toolkits.map((toolkit) => this.#pages('/tools', { toolkit_slug: toolkit })))
    return lists.flat()
  }

  accounts(user: string, toolkits: readonly string[]) {
    const slugs = toolkits.length === 0 ? {} : { toolkit_slugs: toolkits.join(',') }
    return this.#pages('/connected_accounts', { user_ids: user, ...slugs })
  }

  async link(user: string, toolkit: string, callback: string) {
    const body = { auth_config_id: await this.#authConfigOf(toolkit), user_id: user, callback_url: callback }
    const { redirect_url: url } = await this.#post(toolkit, '/connected_accounts/link', body)
    if (typeof url !== 'string' || !/^https?:/.test(url)) throw this.#malformed('it returned no URL to connect at')
    return url
  }

  async remove(account: string) {
    const path = `/connected_accounts/${encodeURIComponent(account)}`
    await this.#send(account, { method: 'DELETE', path }, {})
  }

  async session(user: string, toolkits: readonly string[]) {
    const enabled = toolkits.length === 0 ? {} : { toolkits: { enable: [...toolkits] } }
    const body = { user_id: user, ...enabled, manage_connections: { enable: true } }
    const { session_id: id, mcp } = await this.#post('tool_router', '/tool_router/session', body)
    const url = isObject(mcp) ? mcp['url'] : undefined
    if (typeof id !== 'string' || typeof url !== 'string' || !URL.canParse(url))
      throw this.#malformed('it returned no session')
    return { id, mcp: url }
  }

  hasSession(id: string) {
    const path = `${VERSION}/tool_router/session/${encodeURIComponent(id)}/toolkits`
    return this.#backend.read(path, { limit: '1' }).then(
      () => true,
      (thrown: unknown) => statusRefusedOf(thrown)?.status !== 404,
    )
  }

  upload(tool: string, body: JsonObject, saying: Saying) {
    return this.#send(tool, { method: 'POST', path: '/files/upload/request', body }, saying)
  }

  // What a tool gives goes on to its caller, who is told no address of the server.
  send(what: string, act: Act, saying: Saying) {
    return this.#send(what, act, saying, this.#backend.hide)
  }

  #post(what: string, path: string, body: JsonObject) {
    return this.#send(what, { method: 'POST', path, body }, {})
  }

  async #send(what: string, { method, path, body }: Act, saying: Saying, textOf = (text: string) => text) {
    const act = { method, path: `${VERSION}${path}`, ...(body && { body }) }
    const incoming = await this.#backend.act(act, saying)
    if (incoming.status >= 300) throw this.#refused(incoming, what)
    const value = incoming.text.trim() === '' ? {} : this.#backend.parse(textOf(incoming.text))
    if (!isObject(value)) throw this.#malformed(`${path} did not return a JSON object`)
    return value
  }

  async #pages(path: string, query: Readonly<Record<string, string>>): Promise<JsonObject[]> {
    const all: JsonObject[] = []
    let cursor: string | undefined
    for (let page = 0; page < MOST_PAGES; page++) {
      const at = cursor === undefined ? {} : { cursor }
      const answer = await this.#backend.read(`${VERSION}${path}`, { ...query, limit: String(PAGE), ...at })
      const { items, next_cursor: next } = isObject(answer) ? answer : ({} as JsonObject)
      if (!Array.isArray(items)) throw this.#malformed(`${path} did not return a list`)
      all.push(...items.filter(isObject))
      cursor = typeof next === 'string' && next !== '' ? next : undefined
      if (cursor === undefined) break
    }
    return all
  }

  /** The settings by which accounts of a toolkit are connected: those that are there, else ones that Composio manages. */
  async #authConfigOf(toolkit: string): Promise<string> {
    const [first] = await this.#pages('/auth_configs', { toolkit_slug: toolkit })
    if (typeof first?.['id'] === 'string') return first['id']
    const { auth_config: config } = await this.#post('auth_configs', '/auth_configs', { toolkit: { slug: toolkit } })
    if (!isObject(config) || typeof config['id'] !== 'string') throw this.#malformed('it returned no auth config')
    return config['id']
  }

  #refused(incoming: Incoming, tool: string): Fault {
    const { status } = incoming
    const mask = (text: string) => this.#backend.mask(text)
    const words = wordsOf(this.#backend.parse(this.#backend.hide(incoming.text)))
    if (status === 401 || status === 429 || (AWAY.has(status) && words === undefined))
      return refusalOf({ alias: this.#alias, mask }, incoming)
    const facts = { vendor: 'Composio', tool, problem: cutText(mask(words ?? `it responded with HTTP ${status}`)) }
    if (status === 403) return new Fault('connector.forbidden', facts)
    if (status === 404 || status === 410) return new Fault('connector.missing', facts)
    if (status === 400 || status === 422) return new Fault('connector.arguments', facts)
    if (status === 413) return new Fault('connector.too-large', facts)
    const later = header(incoming, 'retry-after')
    const details = { status, ...(later === undefined ? {} : { later }) }
    return new Fault('connector.failed', facts, { data: { details } })
  }

  #malformed(problem: string) {
    return new Fault('backend.malformed', { connection: this.#alias, problem })
  }
}

function wordsOf(body: Json | undefined): string | undefined {
  const error = isObject(body) ? body['error'] : undefined
  if (typeof error === 'string' && error !== '') return error
  if (!isObject(error) || typeof error['message'] !== 'string') return undefined
  const { message, suggested_fix: fix } = error
  return typeof fix === 'string' && fix !== '' ? `${message} ${fix}` : message
}

const cutText = (text: string): string => (text.length > MOST_WORDS ? `${text.slice(0, MOST_WORDS)}…` : text)
