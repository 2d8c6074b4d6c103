/**
 * A request for each item of a list, for vendors whose lists say too little to choose by. A few are sent at a time. A request that fails
 * costs the details of its item, not the list; after a rate limit no further one is sent.
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
  let limited = false
  const read = items.slice(0, MOST_DETAILED)
  for (let at = 0; at < read.length && !limited; at += MOST_AT_ONCE) {
    const some = read.slice(at, at + MOST_AT_ONCE)
    const requests = some.map(requestOf)
    const { answers = [] } = yield { kind: 'many', requests }
    for (const [index, item] of some.entries()) {
      const [answer, request] = [answers[index], requests[index]]
      if (answer === undefined || request === undefined) continue
      const failure = failureOf(answer, request, failures)
      if (failure?.word === 'NEEDS_AUTH') throw new ToolFailure(failure)
      last = failure ?? last
      limited ||= failure?.word === 'RATE_LIMITED'
      found.push(failure === undefined ? { ...item, detail: answer.body } : { ...item, problem: failure.message })
    }
  }
  if (last?.retryable === true && !found.some((item) => 'detail' in item)) throw new ToolFailure(last)
  const why = limited ? LIMITED : `only the first ${MOST_DETAILED} items of a page are read`
  return [...found, ...items.slice(found.length).map((item) => ({ ...item, problem: `Not read: ${why}.` }))]
}

const LIMITED = 'the rate limit of the vendor was reached'
