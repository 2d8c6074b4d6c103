/**
 * Paging strategies. A cursor holds nothing but the vendor's paging values, which are added to the same arguments again: a cursor
 * that somebody forged reaches no other address and changes no other argument.
 */
import { refusal } from './failure.ts'
import { get } from './shape.ts'
import type { Json, PageSize, Paging } from './tool.ts'

const LONGEST_CURSOR = 4_000

/** There is a next page, and its address cannot be followed. The page itself has arrived and is returned. */
export class PageLinkProblem extends Error {}

/** The paging values of a cursor. Throws ToolFailure for a text that is no cursor of this strategy. */
export function valuesOf({ takes, kind }: Paging, cursor: string): Json {
  const [only] = takes
  const unknown = () => refusal('INVALID_ARGUMENT', 'The cursor is not one that this tool returned.')
  if (cursor === '' || cursor.length > LONGEST_CURSOR || /\p{Cc}/u.test(cursor)) throw unknown()
  if (takes.length === 1 && only !== undefined) {
    if ((kind === 'offset' || kind === 'page') && !/^\d{1,9}$/.test(cursor)) throw unknown()
    return { [only]: kind === 'offset' || kind === 'page' ? Number(cursor) : cursor }
  }
  const values = [...new URLSearchParams(cursor)]
  if (values.length === 0 || values.some(([name]) => !takes.includes(name))) throw unknown()
  return Object.fromEntries(values)
}

/** `Link: <address>; rel="next"` (RFC 8288). `takes` are the names in its query that make the next page. */
export const link = (takes: string, size?: PageSize): Paging => ({
  kind: 'link',
  size,
  at: '',
  takes: takes.split(' '),
  next({ headers, base: at }, _, base) {
    const lines = headers['link']?.matchAll(/<([^<>]*)>([^<]*)/g) ?? []
    const next = [...lines].find(([, , facts]) => /;\s*rel="?(?:[^"]*\s)?next(?:\s|"|;|,|$)/i.test(facts ?? ''))?.[1]
    return next === undefined ? undefined : cursorOf(next, this.takes, [at ?? base, base])
  },
})

/** A whole or relative address of the next page in the body, as OData, Bitbucket and Confluence answer. */
export const nextAddress = (at: string, takes: string, size?: PageSize): Paging => ({
  kind: 'address',
  size,
  at,
  takes: takes.split(' '),
  next({ body, base: answering }, _, base) {
    const next = atPath(body, at)
    return typeof next === 'string' && next !== '' ? cursorOf(next, this.takes, [answering ?? base, base]) : undefined
  },
})

/** OData has dots in the names of members. */
const atPath = (body: unknown, at: string) => (at.startsWith('@') ? (body as Json | undefined)?.[at] : get(body, at))

/** Microsoft Graph and other OData services. */
export const odata = (size?: PageSize): Paging => nextAddress('@odata.nextLink', '$skiptoken $skip $deltatoken', size)

/**
 * Of the address only the paging values are used: the next request goes where this one went. A foreign host is refused all the same,
 * since it would be a fault or an attack. A server behind a proxy that ends TLS may write the other scheme, and one that relays to the
 * vendor the vendor's host.
 */
function cursorOf(
  address: string,
  takes: readonly string[],
  [base, vendors]: readonly [string, string],
): string | undefined {
  const next = URL.parse(address, base)
  if (
    next === null ||
    next.username !== '' ||
    next.password !== '' ||
    ![base, vendors].some((known) => isAt(next, known))
  )
    throw new PageLinkProblem('its link does not lead to the server of this connection')
  const values = takes.flatMap((name) => next.searchParams.getAll(name).map((value): [string, string] => [name, value]))
  if (values.length === 0) return undefined
  return takes.length === 1 ? values[0]?.[1] : new URLSearchParams(values).toString()
}

function isAt({ protocol, host }: URL, base: string): boolean {
  const known = new URL(base)
  return /^https?:$/.test(protocol) && host === known.host
}

/** A cursor in the answer at `at`, sent again as `as`. `more` is the path of a member that is false at the end. */
export const token = (at: string, as: string, size?: PageSize, more?: string): Paging => ({
  kind: 'token',
  size,
  at,
  takes: [as],
  next({ body }) {
    const next = get(body, at)
    if (more !== undefined && get(body, more) === false) return undefined
    return (typeof next === 'string' && next !== '') || typeof next === 'number' ? String(next) : undefined
  },
})

/** Relay connections (GraphQL): `at` is the path of the connection. */
export const relay = (at: string, size?: PageSize): Paging => ({
  kind: 'relay',
  size,
  at,
  takes: ['after'],
  next({ body }) {
    const { hasNextPage, endCursor } = (get(body, `${at}.pageInfo`) ?? {}) as Json
    return hasNextPage === true && typeof endCursor === 'string' ? endCursor : undefined
  },
})

/** Numbered items: `at` is the path of the page's items, `as` the argument, `total` or `last` tell the end where the vendor says it. */
export const offset = (
  at: string,
  as: string,
  size: PageSize,
  ends: { total?: string; last?: string } = {},
): Paging => ({
  kind: 'offset',
  size,
  at,
  takes: [as],
  next({ body }, sent) {
    const items = get(body, at)
    const count = Array.isArray(items) ? items.flat(2).length : 0
    const after = Number(sent[as] ?? 0) + count
    const total = ends.total === undefined ? undefined : get(body, ends.total)
    if (count === 0 || (ends.last !== undefined && get(body, ends.last) === true)) return undefined
    if (typeof total === 'number') return after < total ? String(after) : undefined
    return count < Number(sent[size.as ?? size.name] ?? size.default) ? undefined : String(after)
  },
})

/** Numbered pages from 1: `at` is the path of the number of pages, or of a member that is true where there are more. */
export const page = (at: string, as: string, size: PageSize): Paging => ({
  kind: 'page',
  size,
  at,
  takes: [as],
  next({ body }, sent) {
    const now = Number(sent[as] ?? 1)
    const more = get(body, at)
    return more === true || (typeof more === 'number' && now < more) ? String(now + 1) : undefined
  },
})

/** Pages that begin after an item: `at` is the path of the page's items, each with an `id`, and `as` the argument. */
export const lastItem = (at: string, as: string, size: PageSize, id = 'id'): Paging => ({
  kind: 'last',
  size,
  at,
  takes: [as],
  next({ body }, sent) {
    const items = get(body, at)
    if (!Array.isArray(items) || items.length < Number(sent[size.as ?? size.name] ?? size.default)) return undefined
    const last = get(items.at(-1), id)
    return typeof last === 'string' ? last : undefined
  },
})
