/**
 * The formats of JSON Schema that are checked. Each looks at a text from its beginning to its end and never goes back, so that the
 * longest text costs no more than its length; what has a longest form is not read beyond it. Others pass, as the drafts have it.
 */
import ipaddr from 'ipaddr.js'
import { textPattern } from './pattern.ts'

interface Format {
  /** "must be …". */
  readonly words: string
  /** UTF-16 units that are read at most; longer does not fit. */
  readonly longest: number
  fits(text: string): boolean
}

const format = (words: string, longest: number, fits: Format['fits']): Format => ({ words, longest, fits })
const LONG = 8_192

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (found === null) return false
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number]
  const days = month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0)
  return day >= 1 && day <= days
}

/** RFC 3339; a leap second stands at the end of a day in UTC. */
function isTime(text: string): boolean {
  const found = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text)
  if (found === null) return false
  const [hour, minute, second] = found.slice(1, 4).map(Number) as [number, number, number]
  const [offsetHour, offsetMinute] = [Number(found[5] ?? 0), Number(found[6] ?? 0)]
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false
  const offset = (offsetHour * 60 + offsetMinute) * (found[4] === '-' ? -1 : 1)
  return second < 60 || (hour * 60 + minute - offset + 2 * 1440) % 1440 === 1439
}

function isDateTime(text: string): boolean {
  const at = text[10]
  return (at === 'T' || at === 't' || at === ' ') && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

const isHostname = (text: string): boolean =>
  text.length <= 253 && text.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))

/** Of any script: what stands between the dots is no blank and no sign of ASCII. */
const isIdnHostname = (text: string): boolean =>
  text.length <= 253 &&
  text.split('.').every((label) => label.length > 0 && label.length <= 63 && !/[\s!-,/:-@[-`{-~]/u.test(label))

function isMail(text: string, isHost: (host: string) => boolean, local: RegExp): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1) return false
  const name = text.slice(0, at)
  const host = text.slice(at + 1)
  if (name.length > 64) return false
  const quoted = name.length > 1 && name.startsWith('"') && name.endsWith('"')
  if (!quoted && (!local.test(name) || name.startsWith('.') || name.endsWith('.') || name.includes('..'))) return false
  if (!host.startsWith('[') || !host.endsWith(']')) return isHost(host)
  const address = host.slice(1, -1)
  return /^ipv6:/i.test(address) ? isIpv6(address.slice(5)) : isIpv4(address)
}

const isIpv4 = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text) && !/(?:^|\.)0\d/.test(text)
const isIpv6 = (text: string): boolean => text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text)

/** The characters of RFC 3986, and each `%` before two digits of sixteen. */
const URI_TEXT = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})*$/i
const IRI_TEXT = /^(?:[^\s\p{Cc}<>"{}|\\^`%]|%[0-9a-f]{2})*$/iu
const SCHEME = /^[a-z][a-z0-9+.-]*:/i
const isReference = (text: string, signs: RegExp): boolean =>
  signs.test(text) && (text.match(/#/g)?.length ?? 0) <= 1 && URL.canParse(text, 'http://a/')
const isUri = (text: string, signs: RegExp): boolean =>
  SCHEME.test(text) && text.indexOf(':') < text.length - 1 && isReference(text, signs) && URL.canParse(text)

const LOCAL = /^[\w.!#$%&'*+/=?^`{|}~-]+$/
const isPointer = (text: string): boolean => (text === '' || text.startsWith('/')) && !/~(?![01])/.test(text)

const FORMATS: Readonly<Record<string, Format>> = {
  'date-time': format('a date and time such as 2026-01-31T09:30:00Z (RFC 3339)', 64, isDateTime),
  date: format('a date such as 2026-01-31', 10, isDate),
  time: format('a time such as 09:30:00Z', 64, isTime),
  duration: format('a duration such as P1DT12H (ISO 8601)', 64, (text) =>
    /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/.test(text),
  ),
  email: format('an e-mail address', 320, (text) => isMail(text, isHostname, LOCAL)),
  'idn-email': format('an e-mail address', 320, (text) => isMail(text, isIdnHostname, /^[^\s@]+$/u)),
  hostname: format('a host name', 253, isHostname),
  'idn-hostname': format('a host name', 253, isIdnHostname),
  ipv4: format('an IPv4 address', 15, isIpv4),
  ipv6: format('an IPv6 address', 45, isIpv6),
  uri: format('an absolute URI such as https://example.com/a', LONG, (text) => isUri(text, URI_TEXT)),
  url: format('an absolute URL such as https://example.com/a', LONG, (text) => isUri(text, URI_TEXT)),
  iri: format('an absolute IRI such as https://example.com/a', LONG, (text) => isUri(text, IRI_TEXT)),
  'uri-reference': format('a URI or a relative reference', LONG, (text) => isReference(text, URI_TEXT)),
  'iri-reference': format('an IRI or a relative reference', LONG, (text) => isReference(text, IRI_TEXT)),
  'uri-template': format('a URI template (RFC 6570)', LONG, (text) => /^(?:[^\s{}<>"\\^`|]|\{[^\s{}]+\})*$/.test(text)),
  uuid: format('a UUID', 36, (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)),
  'json-pointer': format('a JSON Pointer such as /a/0', LONG, isPointer),
  'relative-json-pointer': format('a relative JSON Pointer', LONG, (text) => {
    const [up = ''] = /^(?:0|[1-9]\d*)/.exec(text) ?? []
    return up !== '' && (text === `${up}#` || isPointer(text.slice(up.length)))
  }),
  // Whether an expression of the author's engine is one, RE2 cannot say of all: what it takes, surely is.
  regex: format('a regular expression', LONG, (text) => textPattern(text) !== undefined || isExpression(text)),
}

/** Made and never used: making one takes time in proportion to its length. */
function isExpression(text: string): boolean {
  try {
    return new RegExp(text, 'u').source.length > 0
  } catch {
    return false
  }
}

export const formatOf = (name: string): Format | undefined => (Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined)
