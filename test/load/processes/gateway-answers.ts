/**
 * Checks that the gateway answers, and reports the reason if it does not.
 *
 * One request for its readiness and one real call per endpoint, checked like every measured call. Never throws and never repeats:
 * a sentence means "not yet", undefined means "yes".
 */
import { callParts, type CallTarget, faultIn, FIRST_ID, isLegacy } from '../generator/mcp-call.ts'

const LIMIT_MS = 5000

/** @param base origin of the gateway, without a path */
export function refusedHealth(base: string): Promise<string | undefined> {
  return refusal('/health/ready', async () => {
    const reply = await fetch(`${base}/health/ready`, { signal: AbortSignal.timeout(LIMIT_MS) })
    await reply.arrayBuffer()
    return reply.status === 200 ? undefined : `status ${reply.status}`
  })
}

export function refusedCall(target: CallTarget): Promise<string | undefined> {
  return refusal(`the first call to ${new URL(target.url).pathname}`, async () => {
    const { headers, body } = callParts(target, FIRST_ID)
    const signal = AbortSignal.timeout(LIMIT_MS)
    const reply = await fetch(target.url, { method: 'POST', headers, body, signal })
    const contentType = reply.headers.get('content-type') ?? ''
    return faultIn({ status: reply.status, contentType, body: await reply.text() }, FIRST_ID, isLegacy(target))
  })
}

async function refusal(what: string, ask: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    const why = await ask()
    return why === undefined ? undefined : `${what}: ${why}`
  } catch (thrown) {
    // fetch says "fetch failed" and keeps what failed in the cause.
    const error = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
    return `${what}: ${error instanceof Error ? error.message : String(error)}`
  }
}
