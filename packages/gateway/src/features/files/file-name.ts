/** Names and media types of files as they may be shown, sent in a header and used on a disk. */

const MOST_BYTES = 200
/** Control characters, and those that change the direction of text, which would let `exe.txt` be read as another name. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
/** Separators of paths, and what Windows refuses. */
const SEPARATORS = /[/\\:*?"<>|]/g

/** The last part of a path, without characters that mislead; never empty, `.` or `..`. */
export function safeFileName(text: string): string {
  const base = text.split(/[/\\]/).findLast((part) => part.trim() !== '') ?? ''
  const plain = base.normalize('NFC').replaceAll(UNSEEN, '').replaceAll(SEPARATORS, '_').trim()
  const cut = cutToBytes(plain, MOST_BYTES)
  return /^\.*$/.test(cut) ? 'file' : cut
}

function cutToBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text
  const dot = text.lastIndexOf('.')
  const ending = dot > 0 && Buffer.byteLength(text.slice(dot)) <= 20 ? text.slice(dot) : ''
  let name = ''
  let bytes = Buffer.byteLength(ending)
  for (const character of text.slice(0, text.length - ending.length)) {
    bytes += Buffer.byteLength(character)
    if (bytes > most) break
    name += character
  }
  return `${name}${ending}`
}

const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/
export const UNKNOWN_TYPE = 'application/octet-stream'

/** The type without its parameters, in small letters; of what is no type, that of any bytes. */
export function safeMediaType(input: string | undefined): string {
  const type = input?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return MEDIA_TYPE.test(type) ? type : UNKNOWN_TYPE
}

/** A header that has any client save the file (RFC 6266), whatever characters its name has (RFC 8187). */
export function attachmentOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (value) => `%${value.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
