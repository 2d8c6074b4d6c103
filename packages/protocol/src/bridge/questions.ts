/**
 * A modern server's questions on their way to a legacy client, and the client's answers on their way back
 * (specification 2026-07-28, multi round-trip requests; translation table: elicitation, sampling, roots).
 *
 * The modern era *returns* what it wants to know and is asked again; the legacy era *asks* in the middle of a call. Here one is
 * turned into the other: pure, one round at a time, and nothing that a client did not declare is asked of it.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'

export interface Question {
  /** The server's own name for it; the answer goes back under it. */
  readonly key: string
  readonly method: string
  readonly params: JsonObject
}

const ASKABLE: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** The members of capabilities (specification 2025-11-25 and 2026-07-28; earlier revisions have none): all are empty objects. */
const MEMBERS = [
  ['elicitation', ['form', 'url']],
  ['sampling', ['context', 'tools']],
] as const

/**
 * Returns the requests that a legacy session's client supports, as each modern request states them. Roots announce no changes any
 * more. Only members of the specification are passed on: a server has a session for each set of capabilities, and whatever else a client
 * writes there would make a new one.
 */
export function askableOf(capabilities: JsonObject): JsonObject {
  const askable: JsonObject = {}
  for (const [name, members] of MEMBERS) {
    const declared = capabilities[name]
    if (isObject(declared))
      askable[name] = Object.fromEntries(
        members.filter((member) => isObject(declared[member])).map((member) => [member, {}]),
      )
  }
  if (isObject(capabilities['roots'])) askable['roots'] = {}
  return askable
}

/** The questions of one round, or undefined when the server asks for something that no client can be asked. */
export function questionsOf(
  result: JsonObject,
  newId: (key: string) => string = (key) => key,
): readonly Question[] | undefined {
  const requests = result['inputRequests']
  if (requests === undefined) return []
  if (!isObject(requests)) return undefined
  const questions: Question[] = []
  for (const [key, request] of Object.entries(requests)) {
    if (!isObject(request) || typeof request['method'] !== 'string' || !Object.hasOwn(ASKABLE, request['method']))
      return undefined
    const params = isObject(request['params']) ? request['params'] : {}
    questions.push({ key, method: request['method'], params: legacyParams(request['method'], params, newId(key)) })
  }
  return questions
}

/** An address to open needs an id in the legacy era, although nobody will tell of its completion. */
function legacyParams(method: string, params: JsonObject, elicitationId: string): JsonObject {
  if (method !== 'elicitation/create' || params['mode'] !== 'url' || 'elicitationId' in params) return params
  return { ...params, elicitationId }
}

/** The params of the next round: the answers, and the server's state exactly as it gave it, or none. */
export function nextRound(params: JsonObject, result: JsonObject, answers: Readonly<Record<string, Json>>): JsonObject {
  const { inputResponses: _, requestState: __, ...rest } = params
  const state = result['requestState']
  return {
    ...rest,
    ...(Object.keys(answers).length === 0 ? {} : { inputResponses: { ...answers } }),
    ...(state === undefined ? {} : { requestState: state }),
  }
}
