/**
 * The one reading step for what OAuth servers answer: resource metadata (RFC 9728), server metadata (RFC 8414), registrations (RFC
 * 7591) and tokens (RFC 6749, section 5.1). It goes before the schema and before the library, for every provider.
 *
 * Members that the RFC calls optional and that are unusable are left out, and what has one meaning only is written as the RFC writes
 * it; each repair is a note. It never touches what protects somebody: resource, issuer, PKCE methods, endpoints that are required, the
 * type of a token. Those are judged after it, to the letter. `oauth-answers.test.fixture.ts` lists what is taken and what is refused, and why.
 */
import { isObject } from '@toolway/protocol'
import { tidyIdentityToken } from './identity-token.ts'

type Answer = Readonly<Record<string, unknown>>

export interface Tidied {
  readonly answer: Answer
  /** What was repaired: names of members and what is wrong with them, never their values. */
  readonly notes: readonly string[]
}

/** Undefined: leave it out. Throws nothing. */
type Read = (value: unknown) => unknown

interface Member {
  readonly read: Read
  /** What was wrong, if `read` changed or refused it. */
  readonly note: string
}

const text: Member = { read: (value) => (isText(value) ? value.trim() : undefined), note: 'is no text' }
const texts: Member = { read: listOf, note: 'is no list of texts' }
const flag: Member = { read: flagOf, note: 'is neither true nor false' }

/** Members without which a document is none keep their values, so that the schema names them. */
const RESOURCE: Readonly<Record<string, Member>> = {
  authorization_servers: texts,
  scopes_supported: { read: scopesOf, note: 'is no list of texts' },
  resource_name: text,
}
const SERVER: Readonly<Record<string, Member>> = {
  registration_endpoint: text,
  revocation_endpoint: text,
  userinfo_endpoint: text,
  scopes_supported: { read: scopesOf, note: 'is no list of texts' },
  // Not read any further: a server that does not say S256 is refused.
  code_challenge_methods_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  authorization_response_iss_parameter_supported: flag,
  client_id_metadata_document_supported: flag,
}
const REGISTRATION: Readonly<Record<string, Member>> = {
  // Some servers number their clients.
  client_id: { read: (value) => (Number.isSafeInteger(value) ? String(value) : value), note: 'is a number' },
  client_secret: { read: (value) => (isText(value) ? value : undefined), note: 'is no text' },
  client_secret_expires_at: { read: timeOf, note: 'is no time' },
  token_endpoint_auth_method: text,
}
const TOKENS: Readonly<Record<string, Member>> = {
  token_type: { read: typeOf, note: 'is missing, so it is Bearer' },
  expires_in: { read: lifeOf, note: 'is no lifetime in seconds' },
  refresh_token: { read: (value) => (isText(value) ? value : undefined), note: 'is no text' },
  scope: { read: (value) => scopesOf(value)?.join(' '), note: 'is not separated by blanks' },
}

export const tidyResource = (answer: unknown): Tidied | undefined => tidy(answer, RESOURCE)
export const tidyServer = (answer: unknown): Tidied | undefined => tidy(answer, SERVER)
export const tidyRegistration = (answer: unknown): Tidied | undefined => tidy(answer, REGISTRATION)

export function tidyTokens(answer: unknown): Tidied | undefined {
  if (!isObject(answer)) return undefined
  // A few servers call it as their metadata do.
  const named = answer['scope'] === undefined && answer['scopes'] !== undefined
  const members: Answer = { token_type: undefined, ...answer, ...(named ? { scope: answer['scopes'] } : {}) }
  const tokens = tidy(members, TOKENS)
  return tokens === undefined ? undefined : withIdentity(tokens)
}

function withIdentity({ answer: { id_token: token, ...answer }, notes }: Tidied): Tidied {
  if (token === undefined) return { answer, notes }
  const problem = tidyIdentityToken(token)
  return problem === undefined
    ? { answer: { ...answer, id_token: token }, notes }
    : { answer, notes: token === null || token === '' ? notes : [...notes, `id_token ${problem}`] }
}

/** Undefined where it is no object. */
function tidy(answer: unknown, members: Readonly<Record<string, Member>>): Tidied | undefined {
  if (!isObject(answer)) return undefined
  const tidied: Record<string, unknown> = { ...answer }
  const notes: string[] = []
  for (const [name, { read, note }] of Object.entries(members)) {
    if (!Object.hasOwn(tidied, name)) continue
    const [value, clean] = [tidied[name], read(tidied[name])]
    if (clean === undefined) delete tidied[name]
    else tidied[name] = clean
    // `null` and `""` mean what absence means; nobody needs to know.
    if (!isEmpty(value) && !isSame(value, clean)) notes.push(`${name} ${note}`)
    else if (value === undefined && clean !== undefined) notes.push(`${name} ${note}`)
  }
  return { answer: tidied, notes }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const isEmpty = (value: unknown): boolean => value === null || value === '' || value === undefined
const isSame = (value: unknown, other: unknown): boolean =>
  value === other || JSON.stringify(value) === JSON.stringify(other)

/** A text alone is a list of one; of a list, its texts. */
function listOf(value: unknown): string[] | undefined {
  if (isText(value)) return [value.trim()]
  if (!Array.isArray(value)) return undefined
  return value.filter(isText).map((item) => item.trim())
}

/** Scopes never contain a blank (RFC 6749, section 3.3), and none that is known contains a comma. */
function scopesOf(value: unknown): string[] | undefined {
  const scopes = listOf(value)?.flatMap((item) => item.split(/[\s,]+/).filter((scope) => scope !== ''))
  return scopes?.length === 0 && !Array.isArray(value) ? undefined : scopes
}

function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return word === 'true' ? true : word === 'false' ? false : undefined
}

const FORM_OF_NUMBER = /^\d+(?:\.\d+)?$/
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : isText(value) && FORM_OF_NUMBER.test(value.trim()) ? Number(value) : undefined

/** Zero, less, or no number at all: servers say so that a token has no end, or do not know it. It is used until it is refused. */
function lifeOf(value: unknown): number | undefined {
  const seconds = numberOf(value)
  return seconds === undefined || !Number.isFinite(seconds) || seconds <= 0 ? undefined : seconds
}

/** Seconds since 1970; 0 for never (RFC 7591, section 3.2.1). What no calendar has is none. */
const LAST_SECOND = 253_402_300_799
function timeOf(value: unknown): number | undefined {
  const seconds = numberOf(value)
  return seconds === undefined || !(seconds >= 0 && seconds <= LAST_SECOND) ? undefined : seconds
}

/** Required by RFC 6749, and left out by many. What is of another type is refused later: it would be sent as what it is not. */
function typeOf(value: unknown): unknown {
  if (isEmpty(value)) return 'Bearer'
  return typeof value === 'string' ? value.trim() : value
}
