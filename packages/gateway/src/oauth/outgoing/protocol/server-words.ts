/**
 * The error that an OAuth server reports, in its own words, as they may be shown, recorded and logged: its code, and its description,
 * bounded, in one line, without control characters and without anything secret (RFC 6749, sections 4.1.2.1 and 5.2; RFC 7591, 3.2.2).
 *
 * What was sent is masked wherever the description repeats it, in every spelling; of what was not sent, whatever looks like a token.
 */
import { isObject } from '@toolway/protocol'
import { hasSecretForm, isRandom, MASK } from '@toolway/contract/secret-marks'

const CODE = /^[\w .:/-]{1,60}$/
/** Characters. */
const MOST_DESCRIPTION_CHARACTERS = 200
/** Characters of the shortest part that can be a secret: shorter ones are words. */
const SHORTEST_CHARACTERS = 6
/** Control and format characters: the latter would turn a sentence around on a screen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]+/gu
/** What a token can consist of (RFC 6750, section 2.1), which a sentence has no words for. */
const TOKEN = /[\w.~+/=-]{16,}/g
/** Parameters of a request to a token endpoint that are no secrets. */
const OPEN = new Set(['grant_type', 'redirect_uri', 'client_id', 'resource', 'scope', 'token_type_hint'])

export interface ServerError {
  readonly code: string
  readonly description: string | undefined
}

/** An error code, as far as it is one. */
export const codeIn = (text: string): string => (CODE.test(text) ? text : 'an error without a name')

/**
 * The error in an answer; undefined where it reports none. Some servers nest it (`{ error: { code, message } }`), and some report with
 * `error: null` or `""` that there is none.
 */
export function errorIn(answer: unknown): ServerError | undefined {
  if (!isObject(answer)) return undefined
  const { error } = answer
  const nested = isObject(error) ? error : {}
  const code = firstText(error, nested['code'], nested['error'], nested['type'], nested['status'])
  const isNone = error === undefined || error === null || error === '' || error === false
  if (isNone) return undefined
  const { error_description: description, message, detail } = answer
  return {
    code: codeIn(code ?? ''),
    description: firstText(description, nested['message'], nested['description'], message, detail),
  }
}

const firstText = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value.trim() !== '')

/** `code`, or `code (“description”)`. `secrets` are what was sent. */
export function wordError({ code, description }: ServerError, secrets: readonly string[] = []): string {
  const text = description === undefined ? '' : cleanDescription(description, secrets)
  return text === '' || text === code ? code : `${code} (“${text}”)`
}

/** One line of at most 200 characters. */
export function cleanDescription(text: string, secrets: readonly string[] = []): string {
  // Nothing behind this can be shown, and masks look at every character.
  const line = text.slice(0, 4_096).replaceAll(UNSEEN, ' ')
  const masked = spellings(secrets)
    .reduce((left, secret) => left.replaceAll(secret, MASK), line)
    .replaceAll(TOKEN, (word) => (hasSecretForm(word) || isRandom(word) ? MASK : word))
  const clean = masked.replaceAll(/\s+/g, ' ').replaceAll('“', '"').replaceAll('”', '"').trim().toWellFormed()
  return clean.length > MOST_DESCRIPTION_CHARACTERS
    ? `${clean.slice(0, MOST_DESCRIPTION_CHARACTERS - 1).toWellFormed()}…`
    : clean
}

/** As a server may repeat them: decoded, encoded for an address or a form, and in JSON. The longest first. */
const spellings = (secrets: readonly string[]): string[] =>
  [
    ...new Set(
      secrets.flatMap((secret) => [
        secret,
        encodeURIComponent(secret.toWellFormed()),
        new URLSearchParams([['', secret]]).toString().slice(1),
        JSON.stringify(secret).slice(1, -1),
      ]),
    ),
  ]
    .filter(({ length }) => length >= SHORTEST_CHARACTERS)
    .toSorted((a, b) => b.length - a.length)

/** What must not come back in the words of an answer to this request. */
export function secretsOf(headers: Readonly<Record<string, string>> | Headers, body: unknown): string[] {
  const authorization = new Headers(headers).get('authorization') ?? ''
  const credential = authorization.slice(authorization.indexOf(' ') + 1)
  const pair = /^basic /i.test(authorization) ? Buffer.from(credential, 'base64').toString('utf8') : ''
  const password = pair.slice(pair.indexOf(':') + 1)
  const decoded = new URLSearchParams(`x=${password}`).get('x') ?? ''
  const members = body instanceof URLSearchParams ? [...body] : []
  return [
    ...[credential, pair, password, decoded],
    ...members.filter(([name]) => !OPEN.has(name)).map(([, value]) => value),
  ].filter((secret) => secret !== '')
}
