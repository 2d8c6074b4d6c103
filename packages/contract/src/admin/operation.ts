/**
 * How one operation of the admin interface is described: address, permission and shapes, in one value.
 *
 * The gateway serves it, the console and the command line call it, the OpenAPI document and the isolation matrix are made
 * of it. An operation without `needs` does not compile.
 */
import { z } from 'zod'
import type { Permission } from '../roles.ts'

/**
 * The access requirement: anyone; a caller who has signed in or has a key; a platform administrator with the permission; or a
 * caller with the permission in the organization that the path names (its first parameter, `{organization}`: slug or id),
 * possibly only through one of its connections (`{connection}`: id), or in the caller's own: the one that its key or token is
 * bound to, else the default one.
 */
export type Needs =
  | { readonly of: 'anyone' }
  | { readonly of: 'signed-in' }
  | { readonly of: 'platform'; readonly permission: Permission }
  | { readonly of: 'organization'; readonly permission: Permission; readonly by?: 'connection' | 'caller' }

export const anyone: Needs = { of: 'anyone' }
export const signedIn: Needs = { of: 'signed-in' }
export const platform = (permission: Permission): Needs => ({ of: 'platform', permission })
export const inOrganization = (permission: Permission): Needs => ({ of: 'organization', permission })
/** For the source system's paths that name a connection and no organization. */
export const inItsOrganization = (permission: Permission): Needs => ({
  of: 'organization',
  permission,
  by: 'connection',
})
/** For the source system's paths that name neither. */
export const inOwnOrganization = (permission: Permission): Needs => ({ of: 'organization', permission, by: 'caller' })

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Shape = z.ZodType

export interface Operation<
  Query extends z.ZodObject = z.ZodObject,
  Body extends Shape = Shape,
  Answer extends Shape = Shape,
> {
  /** A verb and its noun, unique: `listOrganizations`. */
  readonly id: string
  readonly method: Method
  /** Parameters in braces: `/api/v1/admin/tenants/{organization}/members/{user}`. */
  readonly path: string
  /** One sentence for people. */
  readonly summary: string
  readonly needs: Needs
  readonly query: Query
  readonly body: Body
  /** The response body that is sent with `status`; `z.undefined()` is no body (204). */
  readonly answer: Answer
  readonly status: 200 | 201 | 202 | 204
  /** The media type of responses besides JSON, for streams and exports. */
  readonly media?: string
  /**
   * It may take long, and is answered as an event stream to a client that prefers one: events `progress` of this shape, then one
   * `result` with the answer, or one `error` with a problem.
   */
  readonly progress?: Shape
  /** Bytes that its body may have where TOOLWAY_BODY_LIMIT is less. */
  readonly bodyBytes?: number
  /** It changes nothing, whatever its method: who may only read, or only in one toolset, may ask it. */
  readonly harmless: boolean
  /** It only reads, whatever its method: a credential for reading may call it. */
  readonly reads: boolean
  /**
   * It gives access that outlives the credential of its caller: a key, a password, a membership, a secret, a place that data is sent
   * to. Whoever is here on somebody else's word (a token of another issuer, a key that calls on behalf of members) may not call it.
   * Operations about keys and people are lasting unless they take something away.
   */
  readonly lasting: boolean
}

/** The callers that may get in, and as whom. */
const ACCESS: ReadonlySet<Permission> = new Set(['key_manage', 'user_manage'])
const isAboutAccess = (needs: Needs): boolean =>
  (needs.of === 'organization' || needs.of === 'platform') && ACCESS.has(needs.permission)

const NO_QUERY = z.strictObject({})
const NO_BODY = z.undefined()

interface Described<Query extends z.ZodObject, Body extends Shape, Answer extends Shape> {
  id: string
  at: `${Method} /${string}`
  summary: string
  needs: Needs
  query?: Query
  body?: Body
  answer?: Answer
  status?: Operation['status']
  media?: string
  progress?: Shape
  bodyBytes?: number
  harmless?: boolean
  reads?: boolean
  lasting?: boolean
}

export function operation<
  Query extends z.ZodObject = typeof NO_QUERY,
  Body extends Shape = typeof NO_BODY,
  Answer extends Shape = z.ZodUndefined,
>(described: Described<Query, Body, Answer>): Operation<Query, Body, Answer> {
  const {
    id,
    at,
    summary,
    needs,
    query,
    body,
    answer,
    status,
    media,
    progress,
    bodyBytes,
    harmless = false,
    reads = false,
  } = described
  const [method, path] = at.split(' ') as [Method, string]
  const gives = method !== 'GET' && method !== 'DELETE' && !harmless && !reads
  return Object.freeze({
    id,
    method,
    path,
    summary,
    needs,
    query: (query ?? NO_QUERY) as Query,
    body: (body ?? NO_BODY) as Body,
    answer: (answer ?? NO_BODY) as Answer,
    status: status ?? (answer === undefined ? 204 : 200),
    ...(media === undefined ? {} : { media }),
    ...(progress === undefined ? {} : { progress }),
    ...(bodyBytes === undefined ? {} : { bodyBytes }),
    harmless,
    reads,
    lasting: described.lasting ?? (gives && isAboutAccess(needs)),
  })
}

/** A page of a list: `limit` rows at most, from `offset` on (ledger S3-AUD-03). */
export const Paging = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  /** `next_cursor` of the page before, with the same filter and order; `offset` does not count then. */
  cursor: z.string().min(1).max(4_000).optional(),
})

/** Items that a list should have and that cannot be read, as their rows are stored: they are left out, the others are there. */
const Unreadable = z.int().min(1).optional()

/** A list that is not read by pages, because something bounds it. */
export const listOf = <Row extends Shape>(row: Row) => z.strictObject({ items: z.array(row), unreadable: Unreadable })

export const pageOf = <Row extends Shape>(row: Row) =>
  z.strictObject({
    ...listOf(row).shape,
    /** Of all pages. */
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
    /** Where the next page begins, opaque; absent on the last page. */
    next_cursor: z.string().optional(),
  })

export const ORDERS = ['asc', 'desc'] as const
/** A page that is searched and sorted. `search`: part of a name, upper and lower case alike. */
export const sortedBy = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  Paging.extend({
    search: z.string().max(100).optional(),
    sort: z.enum(names).optional(),
    order: z.enum(ORDERS).default('asc'),
  })

/** Yes or no in a query. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true')
