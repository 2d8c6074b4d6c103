/**
 * The era in which a server that speaks both is asked (specification 2026-07-28, versioning; ADR 0126).
 *
 * A legacy client that can be asked is served in its own era: only there a server may push a question in the middle of a call. An item
 * that turns out to need the other era is asked in that from then on, as long as the connection stays open. The same request is
 * repeated only where it asked before it ran, or only reads. What a server says about itself never does more than choose an era.
 */
import {
  askableOf,
  eraOf,
  isObject,
  MODERN,
  wantsInput,
  type Era,
  type JsonObject,
  type McpRequest,
} from '@toolway/protocol'
import { REPEATABLE } from '@toolway/protocol/client'
import type { Target } from '../catalog/tool-listing.ts'
import type { Upstream, Answer } from '../upstreams/upstream.ts'
import type { AuditEntryBuilder } from './audit-entry.ts'
import type { ClientChannel } from '../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import { isSuspendedState } from './questions/suspended-calls.ts'

/** The methods that may be answered with a question (specification 2026-07-28, multi round-trip requests). */
export const ROUNDED: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

export interface Choosing {
  readonly requestContext: Pick<RequestContext, 'upstream'>
  readonly channel: Pick<ClientChannel, 'asks'>
  readonly audit: Pick<AuditEntryBuilder, 'facts'>
  readonly mcpRequest: McpRequest
  readonly target: Target
  readonly params: JsonObject
  readonly needsTask?: boolean
  /** It goes in the legacy era, although its server is known as a modern one. */
  readonly asLegacy?: true
}

/** The eras that items of a server turned out to need. */
const needs = new WeakMap<Upstream, Map<string, Era>>()
const MOST_ITEMS = 1_000
/** Characters of a name or an address that is remembered. */
const MOST_NAME = 500

const upstreamOf = ({ requestContext, target }: Choosing): Upstream => requestContext.upstream(target.connectionId)

/** Tools, prompts and resources have names of their own. */
const itemOf = ({ mcpRequest: { method }, params }: Choosing): string =>
  `${method} ${String(params['name'] ?? params['uri'])}`

/** True where a modern server is to be asked in the legacy era. */
export function goesAsLegacy(choosing: Choosing): boolean {
  const { target, mcpRequest, params, needsTask = false } = choosing
  if (target.revision !== MODERN || !ROUNDED.has(mcpRequest.method)) return false
  const own = eraOf(mcpRequest.caller.revision)
  // A call that waits for an answer goes on where it waits, whatever is known of its server by now.
  if (own === 'modern' && params['requestState'] !== undefined) return isSuspendedState(params['requestState'])
  const upstream = upstreamOf(choosing)
  if (upstream.otherEra?.() !== 'possible') return false
  // A task lives where it was made, and is asked about in the era of its connection.
  if (needsTask || isObject(params['task']) || !canBeAsked(choosing)) return false
  return (needs.get(upstream)?.get(itemOf(choosing)) ?? own) === 'legacy'
}

function canBeAsked({ mcpRequest: { caller }, channel }: Choosing): boolean {
  return (channel.asks || eraOf(caller.revision) === 'modern') && Object.keys(askableOf(caller.capabilities)).length > 0
}

/** The era in which a request goes on, or its answer for the client. */
export type Verdict = { readonly again: Era } | { readonly answer: Answer }

/** Looks whether an answer shows that its item needs the other era. */
export function judgeEra(choosing: Choosing, answer: Answer): Verdict {
  const { target, mcpRequest, asLegacy, audit } = choosing
  if (!ROUNDED.has(mcpRequest.method)) return { answer }
  const spoken = asLegacy === true ? 'legacy' : eraOf(target.revision)
  const sign = spoken === 'modern' ? signOfPush(answer, choosing.params) : signOfRounds(answer)
  if (sign === undefined || !canBeAsked(choosing)) return { answer }
  const upstream = upstreamOf(choosing)
  const other = upstream.otherEra?.()
  if (other === 'pinned') return { answer: withWords(answer, pinnedTo(target)) }
  if (other !== 'possible' || (spoken === 'legacy' && asLegacy !== true)) return { answer }
  const again = spoken === 'modern' ? 'legacy' : 'modern'
  const isRemembered = remember(upstream, itemOf(choosing), again)
  const repeats = sign === 'before' || REPEATABLE.has(mcpRequest.method) || target.repeats === true
  if (repeats && !audit.facts.questioned) return { again }
  return { answer: isRemembered ? withWords(answer, CALL_AGAIN) : answer }
}

/** False for an item whose name is too long to be remembered: it is judged anew by each call. */
function remember(upstream: Upstream, item: string, era: Era): boolean {
  if (item.length > MOST_NAME) return false
  const known = needs.get(upstream) ?? new Map<string, Era>()
  if (known.size >= MOST_ITEMS) known.clear()
  known.set(item, era)
  needs.set(upstream, known)
  return true
}

/** `before`: the item asks instead of running; `during`: it may have acted before it failed. */
type Sign = 'before' | 'during'

/** SDKs of TypeScript, Python and Go (2026-07-28) refuse a question that a tool pushes, in words of their own. */
const PUSH =
  /server[- ]to[- ]client requests? (?:is|are) not available|no back-?channel|cannot be sent while serving|cannot be signalled by throwing|not supported by the negotiated protocol version|server[- ]initiated requests? (?:is|are) not/i
/** The Python SDK refuses a result that asks for input where the era has none. */
const ROUNDS = /returned an invalid result/i
/** Characters of a complaint that are looked at. */
const LOOKED_AT = 2_000

/** Servers repeat what they were asked with: words of the caller's own are no sign. */
function signOfPush(answer: Answer, params: JsonObject): Sign | undefined {
  const [words] = PUSH.exec(complaintOf(answer)) ?? []
  if (words === undefined) return undefined
  return JSON.stringify(params).toLowerCase().includes(words.toLowerCase()) ? undefined : 'during'
}

function signOfRounds(answer: Answer): Sign | undefined {
  if ('result' in answer && wantsInput(answer.result)) return 'before'
  return 'error' in answer && ROUNDS.test(complaintOf(answer)) ? 'during' : undefined
}

function complaintOf(answer: Answer): string {
  if ('error' in answer) return answer.error.message.slice(0, LOOKED_AT)
  const { isError, content } = answer.result
  if (isError !== true || !Array.isArray(content)) return ''
  const [first] = content
  return isObject(first) && typeof first['text'] === 'string' ? first['text'].slice(0, LOOKED_AT) : ''
}

const CALL_AGAIN =
  'Toolway: this item asks its questions in another protocol version than this call used. Call it again: this gateway now calls it in that version.'
const pinnedTo = ({ alias, revision }: Target): string =>
  `Toolway: this item asks its questions in another protocol version than this call used. The connection ${alias} is set to ${revision}; with the protocol version "auto" in its settings it is called as it needs.`

/** The server's complaint stays, and the mend stands below it. */
function withWords(answer: Answer, words: string): Answer {
  if ('error' in answer) return { error: { ...answer.error, message: `${answer.error.message}\n${words}` } }
  const { content } = answer.result
  return {
    result: { ...answer.result, content: [...(Array.isArray(content) ? content : []), { type: 'text', text: words }] },
  }
}
