/**
 * Fetching one metadata document from somebody who may say anything: JSON or nothing, a megabyte, ten seconds, few redirects, each
 * address judged when the connection is made.
 */
import { Fault } from '@toolway/contract'
import type { z } from 'zod'
import { createGuardedFetch } from '../../../upstreams/http/guarded-fetch.ts'
import type { Egress } from '../ports.ts'
import { malformed, unreachable, wordFailure } from './word-failure.ts'

const REDIRECTS = 3

/** Undefined where there is none (a 4xx). Throws `authority.unreachable`, `authority.malformed`, `egress.refused`. */
export async function fetchDocument<Shape extends z.ZodType>(
  url: URL,
  { shape, what, egress }: { shape: Shape; what: string; egress: Egress },
): Promise<z.output<Shape> | undefined> {
  const get = createGuardedFetch(egress, { redirects: REDIRECTS })
  const response = await get(url.href, { headers: { accept: 'application/json' } }).catch((thrown: unknown) => {
    throw wordFailure(thrown, egress)
  })
  const { status } = response
  if (status === 429 || status >= 500) throw unreachable(egress, `${what} responded with HTTP ${status}`)
  if (status !== 200) return undefined
  const type = response.headers.get('content-type') ?? ''
  if (!/[/+]json\b/i.test(type))
    throw malformed(egress, `${what} is ${/html/i.test(type) ? 'HTML' : 'something else'} instead of JSON`)
  const parsed = shape.safeParse(await jsonOf(response, what, egress))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw malformed(egress, `${what}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not valid'}`.slice(0, 300))
}

async function jsonOf(response: Response, what: string, egress: Egress): Promise<unknown> {
  try {
    return await response.json()
  } catch (thrown) {
    throw thrown instanceof Fault ? thrown : malformed(egress, `${what} is not JSON`)
  }
}
