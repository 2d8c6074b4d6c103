/**
 * A request for each item of a list, for vendors whose lists say too little to choose by. A few are sent at a time. A request that fails
 * costs the details of its item, not the list. After a rate limit, or where none of those under way was answered, no further one is sent.
 */
import { failureOf, ToolFailure, type Failure, type FailureReader } from './failure.ts'
import { MOST_AT_ONCE, type ApiRequest, type Json, type Run } from './tool.ts'

/** Items of a page that are looked at: more would go beyond what vendors allow in a second. */
const MOST_DETAILED = 100

export interface EachParts {
  requestOf(item: Json): ApiRequest
  readonly failures: readonly FailureReader[]
}

/**
 * The items with `detail`, the body of the answer for each, or `problem`, the reason why there is none. Throws ToolFailure where the
 * account is refused, and where no item has details for a reason that passes.
 */
export function* detailed(items: readonly Json[], { requestOf, failures }: EachParts): Run<readonly Json[]> {
  const found: Json[] = []
  let last: Failure | undefined
  let stop: string | undefined
  const read = items.slice(0, MOST_DETAILED)
  for (let at = 0; at < read.length && stop === undefined; at += MOST_AT_ONCE) {
    const some = read.slice(at, at + MOST_AT_ONCE).map((item) => withRequest(item, requestOf))
    const requests = some.flatMap(({ request }) => request ?? [])
    const { answers = [] } = requests.length === 0 ? {} : yield { kind: 'many', requests }
    const ends = some.map(({ item, request, problem }) => {
      const answer = request === undefined ? undefined : answers[requests.indexOf(request)]
      if (answer === undefined || request === undefined) return { item: { ...item, problem: problem ?? UNMADE } }
      if (answer.unsent === true) return { item: { ...item, problem: UNMADE } }
      const failure = failureOf(answer, request, failures)
      if (failure?.word === 'NEEDS_AUTH') throw new ToolFailure(failure)
      return failure === undefined
        ? { item: { ...item, detail: answer.body } }
        : { item: { ...item, problem: failure.message }, failure }
    })
    found.push(...ends.map(({ item }) => item))
    const failed = ends.flatMap(({ failure }) => failure ?? [])
    last = failed.at(-1) ?? last
    if (failed.some(({ word }) => word === 'RATE_LIMITED')) stop = LIMITED
    else if (failed.length > 0 && failed.length === requests.length && failed.every(isAway)) stop = GONE
  }
  if (last?.retryable === true && !found.some((item) => 'detail' in item)) throw new ToolFailure(last)
  const why = stop ?? `only the first ${MOST_DETAILED} items of a page are read`
  return [...found, ...items.slice(found.length).map((item) => ({ ...item, problem: `Not read: ${why}.` }))]
}

const LIMITED = 'the rate limit of the vendor was reached'
const GONE = 'the vendor was not available'
const UNMADE = 'Not read: the request for this item cannot be made.'

const isAway = ({ word }: Failure): boolean => word === 'UNAVAILABLE' || word === 'TIMEOUT'

interface ItemRequest {
  readonly item: Json
  readonly request?: ApiRequest
  readonly problem?: string
}

/** A vendor's item may lack what its request needs. */
function withRequest(item: Json, requestOf: EachParts['requestOf']): ItemRequest {
  try {
    return { item, request: requestOf(item) }
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
    return { item, problem: `Not read: ${thrown.message}` }
  }
}
