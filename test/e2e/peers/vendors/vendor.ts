/**
 * The parts that every fake vendor needs: a request as the vendor would see it, single-use codes, and grants with their tokens.
 *
 * Each vendor beside this file is written from its published documentation, never from the gateway's table: where the two differ,
 * a test fails.
 */
import { createHash, randomBytes } from 'node:crypto'

/** A request as it would reach the vendor, at the vendor's own address. */
export interface Asked {
  readonly method: string
  readonly url: URL
  readonly header: (name: string) => string | undefined
  readonly form: URLSearchParams
  /** Undefined where the body is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined
}

export interface Said {
  readonly status: number
  readonly json?: unknown
  /** In place of JSON. */
  readonly form?: Readonly<Record<string, string>>
  readonly location?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export interface Vendor {
  /** Undefined: no such address. */
  answer(asked: Asked): Said | undefined
  /** Access tokens that open something now. */
  readonly live: ReadonlySet<string>
}

/** The client that is registered with each vendor. */
export const CLIENT = {
  id: 'Iv1.client',
  secret: 'sEcReT0123456789',
  redirect: 'https://gateway.example/oauth/callback',
}
/** The redirect addresses registered with the vendor: of the gateway itself, and of one of its organizations. */
const REDIRECTS = new Set([CLIENT.redirect, 'https://gateway.example/api/v1/oauth/default/callback/github'])
/** Adds a redirect address of the client to those that each vendor accepts. */
export const registerRedirect = (address: string) => REDIRECTS.add(address)

export const words = (status: number, json: unknown): Said => ({ status, json })
/** A vendor's own page for a person, who gets no further. */
export const page = (problem: string): Said => words(400, { page: problem })

export const isForm = ({ header }: Asked): boolean =>
  header('content-type')?.startsWith('application/x-www-form-urlencoded') === true
export const isJson = ({ header }: Asked): boolean => header('content-type')?.startsWith('application/json') === true

export const isBasic = ({ header }: Asked): boolean =>
  header('authorization') === `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`
export const isInForm = ({ form }: Asked): boolean =>
  form.get('client_id') === CLIENT.id && form.get('client_secret') === CLIENT.secret
export const bearerOf = ({ header }: Asked): string => /^Bearer (.+)$/.exec(header('authorization') ?? '')?.[1] ?? ''

interface Code {
  readonly redirect: string
  readonly scopes: readonly string[]
  readonly challenge: string | undefined
  readonly consent: boolean
}

interface Grant {
  readonly scopes: readonly string[]
  ended: boolean
}

export interface Book {
  readonly live: ReadonlySet<string>
  /** The standard part of an authorization request; what is wrong with it, in a sentence. */
  problemOf(asked: Asked, pkce: 'checked' | 'ignored'): string | undefined
  /** Back to the client with a code. */
  back(
    asked: Asked,
    given: { scopes: readonly string[]; pkce: boolean; consent?: boolean },
    more?: Readonly<Record<string, string>>,
  ): Said
  /** Good once, with its verifier and its redirect address. */
  take(code: string | null, verifier: string | null, redirect: string | null): Code | undefined
  open(scopes: readonly string[]): Grant
  access(grant: Grant): string
  refresh(grant: Grant): string
  /** The grant of a refresh token. `once`: a second use ends the grant and everything of it. */
  use(token: string | null, once: boolean): Grant | undefined
  /** Whether there was such a token. It ends alone, or all of its grant with it. */
  end(token: string | null, whole: boolean): boolean
}

const token = (): string => randomBytes(24).toString('hex')

export function createBook(prefix: string): Book {
  const codes = new Map<string, Code>()
  const access = new Map<string, Grant>()
  const refresh = new Map<string, { grant: Grant; used: boolean }>()
  const live = new Set<string>()

  function endGrant(grant: Grant): void {
    grant.ended = true
    for (const [one, of] of access) if (of === grant) live.delete(one)
  }

  return {
    live,
    problemOf({ url: { searchParams: query } }, pkce) {
      if (query.get('response_type') !== 'code') return 'response_type'
      if (query.get('client_id') !== CLIENT.id) return 'client_id'
      if (!REDIRECTS.has(query.get('redirect_uri') ?? '')) return 'redirect_uri'
      if ((query.get('state') ?? '').length < 20) return 'state'
      if (query.has('client_secret')) return 'client_secret'
      if (pkce === 'ignored') return undefined
      if (query.get('code_challenge_method') !== 'S256') return 'code_challenge_method'
      return /^[\w-]{43}$/.test(query.get('code_challenge') ?? '') ? undefined : 'code_challenge'
    },
    back({ url: { searchParams: query } }, { scopes, pkce, consent = true }, more = {}) {
      const code = token()
      const redirect = query.get('redirect_uri') ?? ''
      const challenge = pkce ? (query.get('code_challenge') ?? '') : undefined
      codes.set(code, { redirect, scopes, consent, challenge })
      const to = new URL(redirect)
      for (const [name, value] of Object.entries({ code, state: query.get('state') ?? '', ...more }))
        to.searchParams.set(name, value)
      return { status: 302, location: to.href }
    },
    take(code, verifier, redirect) {
      const found = codes.get(code ?? '')
      codes.delete(code ?? '')
      if (found === undefined || redirect !== found.redirect) return undefined
      const proves =
        createHash('sha256')
          .update(verifier ?? '')
          .digest('base64url') === found.challenge
      return found.challenge === undefined || proves ? found : undefined
    },
    open: (scopes) => ({ scopes, ended: false }),
    access(grant) {
      const made = `${prefix}${token()}`
      access.set(made, grant)
      live.add(made)
      return made
    },
    refresh(grant) {
      const made = `${prefix}r_${token()}`
      refresh.set(made, { grant, used: false })
      return made
    },
    use(given, once) {
      const found = refresh.get(given ?? '')
      if (found === undefined || found.grant.ended) return undefined
      if (once && found.used) {
        endGrant(found.grant)
        return undefined
      }
      found.used = true
      return found.grant
    },
    end(given, whole) {
      const grant = access.get(given ?? '') ?? refresh.get(given ?? '')?.grant
      if (grant === undefined) return false
      live.delete(given ?? '')
      if (refresh.has(given ?? '') || whole) endGrant(grant)
      return true
    },
  }
}

/** A token that says who it is, unsigned: it comes straight from the token endpoint. */
export const identityToken = (claims: object): string =>
  ['{"alg":"none"}', JSON.stringify(claims), ''].map((part) => Buffer.from(part).toString('base64url')).join('.')
