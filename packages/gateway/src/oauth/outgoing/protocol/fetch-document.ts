/**
 * Fetching one metadata document from somebody who may say anything: JSON or nothing, a megabyte, ten seconds, few redirects, each
 * address judged when the connection is made. Its media type does not matter, since files without an ending have any.
 */
import type { z } from 'zod'
import { createGuardedFetch } from '../../../upstreams/http/guarded-fetch.ts'
import type { Egress } from '../ports.ts'
import { errorIn, wordError } from './server-words.ts'
import type { Tidied } from './tidy-answer.ts'
import { documentAt, malformedAuthority, unreachable, wordFailure } from './word-failure.ts'

const REDIRECTS = 3

export interface Fetching<Shape extends z.ZodType> {
  readonly shape: Shape
  /** The one reading step before the shape; undefined where it is no object. */
  tidy(answer: unknown): Tidied | undefined
  /** A member that no such document lacks. */
  readonly mark: string
  /** Which document it is, in sentences. */
  readonly what: string
  readonly egress: Egress
}

/** A document with what was repaired in it, or why there is none: a 4xx, a page, JSON of something else. */
export type Found<Value> = { readonly value: Value; readonly notes: readonly string[] } | { readonly absent: string }

/** Throws `authority.unreachable`, `authority.malformed`, `egress.refused`. */
export async function fetchDocument<Shape extends z.ZodType>(
  url: URL,
  { shape, tidy, mark, what, egress }: Fetching<Shape>,
): Promise<Found<z.output<Shape>>> {
  const document = documentAt(what, url.href)
  const get = createGuardedFetch(egress, { redirects: REDIRECTS })
  const response = await get(url.href, { headers: { accept: 'application/json' } }).catch((thrown: unknown) => {
    throw wordFailure(thrown, egress, { document })
  })
  const { status } = response
  if (status === 429 || status >= 500) throw unreachable(egress, `the ${document} responded with HTTP ${status}`)
  if (status !== 200) return { absent: `HTTP ${status}` }
  const answer = await jsonIn(response)
  if (answer === undefined)
    return { absent: /html/i.test(response.headers.get('content-type') ?? '') ? 'HTML instead of JSON' : 'not JSON' }
  const error = errorIn(answer)
  const tidied = tidy(answer)
  if (tidied === undefined) return { absent: 'JSON that is not an object' }
  // Sites answer every unknown address with some JSON of theirs, also with status 200.
  if (!Object.hasOwn(tidied.answer, mark))
    return { absent: error === undefined ? `JSON without ${mark}` : `the error ${wordError(error)}` }
  const parsed = shape.safeParse(tidied.answer)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const problem = `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not valid'}`.slice(0, 300)
    throw malformedAuthority(egress, `the ${document}: ${problem}`)
  }
  return { value: parsed.data, notes: tidied.notes }
}

async function jsonIn(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
