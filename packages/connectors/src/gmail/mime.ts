/** Messages of RFC 5322 as Gmail takes and gives them. */
import {
  base64LinesOf,
  base64Of,
  base64UrlOf,
  get,
  isJson,
  refusal,
  textOf,
  type GivenFile,
  type Json,
  type Piece,
} from '../kit/index.ts'

export interface Attachment {
  readonly name: string
  readonly type: string
  /** Base64url, as Gmail gives it. */
  readonly data: string
}

export interface Mail {
  /** By name, in the order in which they are written; undefined ones are left out. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  readonly attachments?: readonly Attachment[]
}

const BOUNDARY = 'part-7f1c2a9e4b'
const isAscii = (text: string) => /^[\u0020-\u007e]*$/.test(text)
const lines = (base64: string) => base64.replaceAll(/.{76}(?=.)/g, '$&\r\n')

/** Encoded words of RFC 2047, each under 75 characters. */
const word = (text: string): string =>
  isAscii(text) ? text : (text.match(/.{1,10}/gsu) ?? []).map((part) => `=?UTF-8?B?${base64Of(part)}?=`).join('\r\n ')

/** Only the names beside addresses may have other letters. */
const people = (list: string): string =>
  list.replaceAll(/(?:"([^"]*)"|([^<>,"\s][^<>,"]*?))\s*(?=<)/g, (all, quoted?: string, bare?: string) =>
    isAscii(all) ? all : `${word(quoted ?? bare ?? '')} `,
  )

function headerLine(name: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw refusal('INVALID_ARGUMENT', `${name} must be one line.`)
  return `${name}: ${/^(To|Cc|Bcc)$/.test(name) ? people(value) : word(value)}`
}

const PLAIN = 'Content-Type: text/plain; charset="UTF-8"\r\nContent-Transfer-Encoding: base64\r\n\r\n'
function partHead({ name, type }: Pick<Attachment, 'name' | 'type'>): string {
  const kind = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream'
  const file = word(name.replaceAll(/["\\\p{Cc}]/gu, '_'))
  return `Content-Type: ${kind}\r\nContent-Disposition: attachment; filename="${file}"\r\nContent-Transfer-Encoding: base64\r\n\r\n`
}

const partOf = ({ name, type, data }: Attachment): string => {
  const bare64 = data.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  const base64 = bare64.padEnd(Math.ceil(bare64.length / 4) * 4, '=')
  return `${partHead({ name, type })}${lines(base64)}`
}

const headOf = (headers: Mail['headers']): string =>
  Object.entries(headers)
    .flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${headerLine(name, value)}\r\n`]))
    .join('')
const MIXED = `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="${BOUNDARY}"\r\n\r\n`

/** The member `raw` of a message: base64url. Throws ToolFailure for a header of more than one line. */
export function rawOf({ headers, text, attachments = [] }: Mail): string {
  const head = headOf(headers)
  const plain = `${PLAIN}${lines(base64Of(text))}`
  if (attachments.length === 0) return base64UrlOf(`${head}MIME-Version: 1.0\r\n${plain}`)
  const parts = [plain, ...attachments.map(partOf)].map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')
  return base64UrlOf(`${head}${MIXED}${parts}--${BOUNDARY}--\r\n`)
}

/** A message with files, as the upload address takes it. Throws ToolFailure for a header of more than one line. */
export const messageOf = ({ headers, text }: Omit<Mail, 'attachments'>, files: readonly GivenFile[]): Piece[] => [
  `${headOf(headers)}${MIXED}--${BOUNDARY}\r\n${PLAIN}${lines(base64Of(text))}\r\n`,
  ...files.flatMap((file): Piece[] => [`--${BOUNDARY}\r\n${partHead(file)}`, base64LinesOf(file), '\r\n']),
  `--${BOUNDARY}--\r\n`,
]

/** The value of a header of a message, in one line. */
export function headerOf(message: unknown, name: string): string | undefined {
  const found = get(message, 'payload.headers')
  const all: readonly unknown[] = Array.isArray(found) ? found : []
  const value = get(
    all.find((item) => String(get(item, 'name')).toLowerCase() === name.toLowerCase()),
    'value',
  )
  return typeof value === 'string' ? value.replaceAll(/[\r\n\0]+\s*/g, ' ') : undefined
}

/** All parts of a message, the outermost first. */
export function partsOf(part: unknown): readonly Json[] {
  if (!isJson(part)) return []
  const inner = part['parts']
  return [part, ...(Array.isArray(inner) ? inner.flatMap(partsOf) : [])]
}

export const filesOf = (message: unknown): readonly Json[] =>
  partsOf(get(message, 'payload')).filter(({ filename }) => typeof filename === 'string' && filename !== '')

/** A part is known by its place in the message, which never changes. A message that is one file has no parts. */
export const idOf = ({ partId }: Json): string => (typeof partId === 'string' && partId !== '' ? partId : '0')

/** Gmail escapes the first words of a message for HTML. */
export const plainOf = (snippet: unknown): string | undefined =>
  typeof snippet === 'string' ? bare(snippet) : undefined

/** The plain text of a message, else its HTML without tags. */
export function bodyOf(message: unknown): string | undefined {
  const parts = partsOf(get(message, 'payload')).filter(({ filename }) => filename === undefined || filename === '')
  const read = (type: string) =>
    parts
      .filter(({ mimeType }) => mimeType === type)
      .map((part) => textOf(String(get(part, 'body.data') ?? '')))
      .filter((text) => text !== undefined && text !== '')
      .join('\n')
  return read('text/plain') || bare(read('text/html')) || undefined
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" }
const bare = (html: string): string =>
  html
    .replaceAll(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, '')
    .replaceAll(/<(?:br|\/p|\/div|\/tr|\/li|\/h\d)\b[^>]*>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(#39|\w+);/g, (all, name: string) => ENTITIES[name] ?? all)
    .replaceAll(/[ \t]*\n\s*\n\s*/g, '\n\n')
    .trim()
