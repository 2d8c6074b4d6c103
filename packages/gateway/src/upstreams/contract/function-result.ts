/**
 * Converts the answer of a contract backend to a tool result or a fault. Nothing is lost: the data, the message beside them, and
 * their mismatches with the contract.
 */
import { Fault } from '@toolway/contract'
import { aroundDigits, isObject, withDigits, type Json, type JsonObject } from '@toolway/protocol'
import { schemaRead } from '../../lib/json-schema/schemas-read.ts'
import { refusedAccess } from '../access-refused.ts'
import { header, type Incoming } from '@toolway/protocol/client'
import { refusalOf } from '../http/refusal.ts'
import { CONTRACT_KEY, UNFIT, type ContractTool } from './contract-tool.ts'

export interface Answering {
  readonly alias: string
  readonly tool: ContractTool
  /** Undefined for what is not JSON. */
  parse(text: string): Json | undefined
  /** Text without the backend's address; and without what it was sent, too. */
  hide(text: string): string
  mask(text: string): string
  /** Called with the mismatches between an answer and its contract, for the log. */
  onUnfit(problems: readonly string[]): void
}

/** Characters of a backend's own words that a caller is told. */
const MOST_WORDS_CHARACTERS = 2_000
/** Statuses of a backend for a function that failed. */
const FAILED = new Set(['failed', 'failure', 'error'])
/** Statuses of a function that was skipped or partly done; the text of the result says so, too. */
const QUALIFIED = new Set(['partial', 'skipped'])

/** Throws `function.failed` in the backend's own words, `upstream.*` and `contract.malformed`. */
export function resultOf(incoming: Incoming, answering: Answering): JsonObject {
  const { alias, parse, hide, mask } = answering
  const { status } = incoming
  const body = parse(hide(incoming.text))
  if (status === 401) throw refusedAccess(alias, status, maskedHeader(incoming, mask))
  if (status === 429) throw refusalOf({ alias, mask }, incoming)
  if (status >= 300) {
    const problem = wordsOf(body)
    // A proxy in front of it says nothing of the function.
    if (problem === undefined && AWAY.has(status)) throw refusalOf({ alias, mask }, incoming)
    throw failedFault(answering, problem ?? `it responded with HTTP ${status}`, { status })
  }
  if (body === undefined)
    throw new Fault('contract.malformed', { connection: alias, problem: 'a function did not return JSON' })
  const { data, ...answer } = envelopeOf(body)
  if (FAILED.has(String(answer['status']).toLowerCase()))
    throw failedFault(answering, wordsOf(answer) ?? 'it does not say why', { status })
  return succeededResult(data ?? null, answer, answering)
}

const AWAY = new Set([502, 503, 504])

function succeededResult(data: Json, value: JsonObject, { tool, onUnfit }: Answering): JsonObject {
  const problems = problemsOf(tool.output, data)
  if (problems.length > 0) onUnfit(problems)
  const qualified = QUALIFIED.has(String(value['status'])) ? wordsOf(value) : undefined
  const facts = { ...value, ...(problems.length === 0 ? {} : { unfit: [...problems] }) }
  return {
    content: [
      ...(qualified === undefined ? [] : [{ type: 'text', text: `${String(value['status'])}: ${qualified}` }]),
      { type: 'text', text: typeof data === 'string' ? data : JSON.stringify(withDigits(data)) },
    ],
    structuredContent:
      problems.length === 0 ? data : aroundDigits({ [UNFIT]: aroundDigits({ problems: [...problems], value: data }) }),
    ...(Object.keys(facts).length === 0 ? {} : { _meta: { [CONTRACT_KEY]: facts } }),
  }
}

/** Returns the schema mismatches, a few words each; the schema was compiled when the contract was read. */
const problemsOf = (schema: JsonObject, value: Json): string[] =>
  schemaRead(schema)
    .check(value)
    .problems.map(({ path, message }) => `${path === '' ? 'the whole' : path} ${message}`)

/** `{status, message, data, …}` (Curatore's `ExecuteFunctionResponse`); any other JSON is the data themselves. */
function envelopeOf(body: Json): JsonObject {
  if (!isObject(body) || typeof body['status'] !== 'string') return { data: body }
  if (!('data' in body) && !('error' in body) && !('message' in body)) return { data: body }
  const { error, metadata, ...rest } = body
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name, value]) => name === 'data' || value !== null)),
    ...(error === null || error === undefined ? {} : { error }),
    ...(isObject(metadata) && Object.keys(metadata).length > 0 ? { metadata } : {}),
  }
}

/** In the words that a backend uses: its own errors, or its framework's (`detail`, a text or a list of places). */
function wordsOf(body: Json | undefined): string | undefined {
  if (typeof body === 'string' && body !== '') return body
  if (!isObject(body)) return undefined
  for (const name of ['error', 'detail', 'message']) {
    const words = textOfProblems(body[name])
    if (words !== undefined) return words
  }
  return undefined
}

function textOfProblems(input: Json | undefined): string | undefined {
  if (typeof input === 'string') return input.trim() === '' ? undefined : input
  if (Array.isArray(input)) {
    const all = input
      .map((value) => (isObject(value) ? textOfPlacedProblem(value) : textOfProblems(value)))
      .filter((item) => item !== undefined)
    return all.length === 0 ? undefined : all.join('; ')
  }
  return isObject(input) ? (wordsOf(input) ?? JSON.stringify(input)) : undefined
}

/** One line of a framework's complaint: `{loc: ["body", "params", "limit"], msg}`. */
function textOfPlacedProblem({ loc, msg, message }: JsonObject): string | undefined {
  const words = textOfProblems(msg ?? message)
  const pointer = Array.isArray(loc) ? loc.map(String).join('/') : ''
  return words === undefined || pointer === '' ? words : `/${pointer}: ${words}`
}

const failedFault = ({ tool, mask }: Answering, whole: string, data: { status: number }): Fault => {
  const text = mask(whole)
  const problem = text.length > MOST_WORDS_CHARACTERS ? `${text.slice(0, MOST_WORDS_CHARACTERS)}…` : text
  return new Fault('function.failed', { tool: tool.contract.name, problem }, { data: { details: data } })
}

function maskedHeader(incoming: Incoming, mask: (text: string) => string): string | undefined {
  const challenge = header(incoming, 'www-authenticate')
  return challenge === undefined ? undefined : mask(challenge)
}
