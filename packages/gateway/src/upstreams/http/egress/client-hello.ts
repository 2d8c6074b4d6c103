/**
 * Reads the server name of a TLS ClientHello (RFC 8446, section 4.1.2; RFC 6066, section 3) from the first bytes of a tunnel.
 *
 * It decrypts and changes nothing, and trusts nothing: what is not exactly a ClientHello is no TLS. The hello may be spread over
 * several records.
 */

export type Opening =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'other' }
  | { readonly kind: 'tls'; readonly name: string | undefined }

/** Bytes within which a hello must end; those of browsers with post-quantum keys have about 2,000. */
export const MOST_HELLO_BYTES = 16 * 1024
const HANDSHAKE_RECORD = 22
const CLIENT_HELLO = 1
const SERVER_NAME = 0

const INCOMPLETE: Opening = { kind: 'incomplete' }
const OTHER: Opening = { kind: 'other' }

export function readOpening(bytes: Buffer): Opening {
  let handshake = Buffer.alloc(0)
  for (let at = 0; ;) {
    if (bytes.length > at && bytes[at] !== HANDSHAKE_RECORD) return OTHER
    if (bytes.length > at + 1 && bytes[at + 1] !== 3) return OTHER
    if (bytes.length < at + 5) return tooLong(bytes)
    const length = bytes.readUInt16BE(at + 3)
    if (length === 0 || length > MOST_HELLO_BYTES) return OTHER
    if (bytes.length < at + 5 + length) return tooLong(bytes)
    handshake = Buffer.concat([handshake, bytes.subarray(at + 5, at + 5 + length)])
    at += 5 + length
    if (handshake[0] !== CLIENT_HELLO) return OTHER
    if (handshake.length < 4) continue
    const end = 4 + handshake.readUIntBE(1, 3)
    if (end > MOST_HELLO_BYTES) return OTHER
    if (handshake.length >= end) return helloOf(handshake.subarray(4, end))
  }
}

const tooLong = (bytes: Buffer): Opening => (bytes.length > MOST_HELLO_BYTES ? OTHER : INCOMPLETE)

/** A reader whose fields are prefixed by their length; `undefined` where they are shorter than they say. */
function createFields(bytes: Buffer) {
  let at = 0
  return {
    skip: (count: number) => void (at += count),
    number(size: 1 | 2): number | undefined {
      if (at + size > bytes.length) return undefined
      at += size
      return bytes.readUIntBE(at - size, size)
    },
    vector(size: 1 | 2): Buffer | undefined {
      const length = this.number(size)
      if (length === undefined || at + length > bytes.length) return undefined
      at += length
      return bytes.subarray(at - length, at)
    },
    isAtEnd: () => at === bytes.length,
  }
}

function helloOf(body: Buffer): Opening {
  const fields = createFields(body)
  fields.skip(2 + 32)
  if (fields.vector(1) === undefined || fields.vector(2) === undefined || fields.vector(1) === undefined) return OTHER
  if (fields.isAtEnd()) return { kind: 'tls', name: undefined }
  const extensions = fields.vector(2)
  if (extensions === undefined || !fields.isAtEnd()) return OTHER
  return nameAmong(extensions)
}

function nameAmong(extensions: Buffer): Opening {
  const fields = createFields(extensions)
  const names: Buffer[] = []
  while (!fields.isAtEnd()) {
    const type = fields.number(2)
    const content = fields.vector(2)
    if (type === undefined || content === undefined) return OTHER
    if (type === SERVER_NAME) names.push(content)
  }
  const [only] = names
  if (only === undefined) return { kind: 'tls', name: undefined }
  const name = names.length === 1 ? singleName(only) : undefined
  return name === undefined ? OTHER : { kind: 'tls', name }
}

/** The one host name of a server_name extension; a list of several is not sent by anybody who means one. */
function singleName(extension: Buffer): string | undefined {
  const outer = createFields(extension)
  const list = outer.vector(2)
  if (list === undefined || !outer.isAtEnd()) return undefined
  const fields = createFields(list)
  const type = fields.number(1)
  const name = fields.vector(2)
  return type === 0 && name !== undefined && fields.isAtEnd() ? name.toString('latin1') : undefined
}
