/** Converts the failure of a native connector's tool to a fault that the layers above know how to retry, renew or show. */
import { Fault } from '@toolway/contract'
import { ToolFailure, type Failure } from '@toolway/connectors'
import { refusedAccess } from '../access-refused.ts'
import { limitedBy, StatusRefused } from '../status-refused.ts'

export interface FailingTool {
  readonly alias: string
  /** Its full name. */
  readonly tool: string
  /** The vendor in front of people. */
  readonly vendor: string
  /** The least scopes that the tool needs. */
  readonly scopes: readonly string[]
  /** A request of this call that may have changed something was answered before the failure. */
  readonly acted: boolean
  mask(text: string): string
}

/** A gateway in front of the vendor answers so when the vendor is away. */
const AWAY = 503

export function faultOf(thrown: unknown, failing: FailingTool): unknown {
  const { alias, acted, mask } = failing
  if (thrown instanceof ToolFailure) {
    const { failure } = thrown
    const problem = mask(failure.message)
    return acted ? partly(failing, problem) : worded(failure, problem, failing)
  }
  // Its cause would have the whole call made again.
  if (acted && thrown instanceof Fault && !ENDED.has(thrown.code))
    return partly(failing, `${thrown.message.replace(/\.$/, '')}; connection ${alias}`)
  return thrown
}

/** The call ended here. */
const ENDED: ReadonlySet<string> = new Set(['call.cancelled', 'session.ended'])

const partly = ({ tool, vendor }: FailingTool, problem: string) =>
  new Fault('connector.partly', { tool, vendor, problem })

function worded(failure: Failure, problem: string, { alias, tool, vendor, scopes }: FailingTool): Fault {
  const { word, status, retryAfter } = failure
  const later = retryAfter === undefined ? undefined : String(retryAfter)
  const facts = { tool, vendor, problem }
  const data = { data: { details: detailsOf(failure) } }
  switch (word) {
    case 'NEEDS_AUTH':
      return refusedAccess(alias, 401, undefined)
    case 'RATE_LIMITED':
      return limitedBy(alias, later)
    case 'UNAVAILABLE':
    case 'TIMEOUT':
      return new Fault(
        'upstream.unreachable',
        { connection: alias, problem },
        { cause: new StatusRefused(AWAY, later) },
      )
    case 'PERMISSION_DENIED':
      return lacksScope(failure) && scopes.length > 0
        ? refusedAccess(alias, 403, `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`)
        : new Fault('connector.forbidden', facts, data)
    case 'INVALID_ARGUMENT':
      return new Fault('connector.arguments', facts, data)
    case 'NOT_FOUND':
      return new Fault('connector.missing', facts, data)
    case 'NOT_SUPPORTED':
      return new Fault('connector.unsupported', { tool, problem }, data)
    case 'PAYLOAD_TOO_LARGE':
      return new Fault('connector.too-large', facts, data)
    default:
      return new Fault('connector.failed', facts, { data: { details: { ...detailsOf(failure), status } } })
  }
}

/** Vendors say in words that a token lacks a scope. The scopes that are asked for then are those of our own table. */
const lacksScope = ({ message }: Failure): boolean => /(?:\b|_)scopes?\b/i.test(message)

const detailsOf = ({ status, requestId }: Failure) => ({
  ...(status === 0 ? {} : { provider_status: status }),
  ...(requestId === undefined ? {} : { request_id: requestId }),
})
