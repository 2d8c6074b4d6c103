/**
 * Whether the calls of a connection succeed, whatever its server answers to the gateway's own requests. Several failures in a row with no
 * success between them, of whoever calls, are told; so is the next success. It refuses nothing: that is the breaker's (`breaker.ts`).
 *
 * Failures are answers that are no MCP and connections that break. An error of the server's own is an answer; silence is the breaker's to
 * count, and what concerns one caller (an account, a limit, too large a result) says nothing of the connection.
 */
import { Fault } from '@toolway/contract'
import { GATEWAY, type Upstream } from './upstream.ts'

/** As with the breaker: fewer may be chance, or one tool that does not work. Told again at each multiple. */
const MOST_FAILURES = 5
const FAILURES: ReadonlySet<string> = new Set([
  'upstream.malformed',
  'upstream.lost',
  'upstream.unreachable',
  'upstream.ended',
])

/** The same upstream, whose calls are counted. `tell` hears a failure, and undefined when a call succeeded after one was told. */
export function countCalls(upstream: Upstream, tell: (failure: Fault | undefined) => void): Upstream {
  const ask = upstream.ask.bind(upstream)
  let failures = 0

  function succeeded(): void {
    const wasTold = failures >= MOST_FAILURES
    failures = 0
    if (wasTold) tell(undefined)
  }

  function failed(thrown: unknown): void {
    const fault = Fault.of(thrown)
    if (FAILURES.has(fault.code) && ++failures % MOST_FAILURES === 0) tell(fault)
  }

  return Object.assign(upstream, {
    async ask(asked: Parameters<Upstream['ask']>[0]) {
      if (asked.owner === GATEWAY) return ask(asked)
      try {
        const answer = await ask(asked)
        if (failures > 0) succeeded()
        return answer
      } catch (thrown) {
        failed(thrown)
        throw thrown
      }
    },
  })
}
