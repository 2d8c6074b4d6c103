/** The parts of Microsoft Graph, version 1.0, that its connectors share. https://learn.microsoft.com/en-us/graph/errors */
import { get, isJson, type FailureReader, type Json, type RestFacts } from '../kit/index.ts'

/** A service behind Graph answers 503 for its limits too; the request was not carried out then. */
const LIMITS = new Set(['TooManyRequests', 'activityLimitReached', 'ApplicationThrottled', 'throttledRequest'])
const limited: FailureReader = ({ status, body }) =>
  status === 503 && LIMITS.has(String(get(body, 'error.code'))) ? 'RATE_LIMITED' : undefined

/** A signed-in person without a licence or a mailbox gets 401 with one of these codes; a new sign-in mends nothing. */
const NO_LICENCE = new Set(['MailboxNotEnabledForRESTAPI', 'AuthorizationFailed', 'notAllowed'])
const unlicensed: FailureReader = ({ status, body }) =>
  (status === 401 || status === 404) && NO_LICENCE.has(String(get(body, 'error.code')))
    ? 'PERMISSION_DENIED'
    : undefined

export const graphFacts: RestFacts = {
  base: 'https://graph.microsoft.com/v1.0',
  lists: 'comma',
  failures: [limited, unlicensed],
}

/** A text within quotes of an OData expression. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The members that somebody named, with commas between; all without names. */
export const picked = (item: Json, names: string | undefined): Json => {
  if (names === undefined) return item
  const properties = new Set(['id', ...names.split(',').map((name) => name.trim())])
  return Object.fromEntries(Object.entries(item).filter(([name]) => properties.has(name)))
}

/** The content of a body of HTML as plain text: models need no markup. */
export function plainBody(item: Json): Json {
  const { body } = item
  if (!isJson(body) || body['contentType'] !== 'html' || typeof body['content'] !== 'string') return item
  return { ...item, body: { ...body, content: plainOf(body['content']) } }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** HTML without its tags; the ends of blocks are line breaks. */
export const plainOf = (html: string): string =>
  html
    .replaceAll(/<(style|script|head)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replaceAll(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6])\b[^>]*>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(x?)([\da-f]{1,6});/gi, (whole, hex: string, digits: string) => charOf(whole, digits, hex))
    .replaceAll(/&([a-z]+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()

const charOf = (whole: string, digits: string, hex: string): string => {
  const code = Number.parseInt(digits, hex === '' ? 10 : 16)
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
}
