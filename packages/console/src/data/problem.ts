/** Errors of requests, as worded by the gateway (RFC 9457), or by the network where the gateway did not respond. */
import { localized, localizedOr } from '../texts/gateway-words.ts'
import { texts } from '../texts/texts.ts'

export class Problem extends Error {
  override readonly name = 'Problem'
  /** 0: there was no answer. */
  readonly status: number
  /** Of the fault table, or `network` and `answer`. */
  readonly code: string
  readonly phase: string | undefined
  readonly mend: string | undefined
  /** Seconds. */
  readonly retryAfter: number | undefined
  readonly correlationId: string | undefined
  /** The request, for a report: method and path without its query. */
  readonly asked: string

  constructor(input: Partial<Omit<Problem, 'name'>> & Pick<Problem, 'message' | 'asked'>) {
    super(localized(input.message))
    this.status = input.status ?? 0
    this.code = input.code ?? 'network'
    this.phase = input.phase
    this.mend = localizedOr(input.mend)
    this.retryAfter = input.retryAfter
    this.correlationId = input.correlationId
    this.asked = input.asked
  }

  /** Of whatever was thrown. */
  static of(thrown: unknown): Problem {
    if (thrown instanceof Problem) return thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return new Problem({ message, code: 'console', asked: 'the console itself' })
  }

  static async ofAnswer(response: Response, request: string): Promise<Problem> {
    return Problem.ofBody(await response.json().catch(() => undefined), response, request)
  }

  /** `input` is the problem, be it the whole answer or an event of it. */
  static ofBody(input: unknown, response: Pick<Response, 'status' | 'headers'>, request: string): Problem {
    const text = (name: string) => fieldOf(input, name, 'string') as string | undefined
    return new Problem({
      message: text('detail') ?? text('title') ?? texts.failed.status({ status: String(response.status) }),
      status: response.status,
      code: text('code') ?? 'answer',
      phase: text('phase'),
      mend: text('mend'),
      retryAfter: fieldOf(input, 'retry_after', 'number') as number | undefined,
      correlationId: text('correlation_id') ?? response.headers.get('x-correlation-id') ?? undefined,
      asked: request,
    })
  }
}

/** Read by hand: a library for shapes would be most of what the first screen loads. */
function fieldOf(input: unknown, name: string, type: 'string' | 'number'): unknown {
  if (typeof input !== 'object' || input === null) return undefined
  const value: unknown = Reflect.get(input, name)
  return typeof value === type ? value : undefined
}
