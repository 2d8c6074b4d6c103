/** The text of bytes: by byte order mark, `Content-Type`, `<meta>`, UTF-8 where it is valid, and else by what the bytes look like. */
import { TextDecoder } from 'node:util'
import { analyse } from 'chardet'

/** Where a page has to say its encoding is its first 1,024 bytes (HTML, section 13.2.3.2); some say it a little later. */
const META_WITHIN_BYTES = 4_096
/** Bytes that are looked at to guess an encoding. */
const SAMPLE_BYTES = 64 * 1024

/** @param contentType as the server says it */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const declared = markOf(bytes) ?? decoderOf(charsetOf(contentType)) ?? decoderOf(metaCharset(bytes))
  if (declared !== undefined) return declared.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return (guessDecoder(bytes) ?? new TextDecoder('windows-1252')).decode(bytes)
  }
}

function markOf(bytes: Uint8Array): TextDecoder | undefined {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder('utf-8')
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be')
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le')
  return undefined
}

/** Undefined for a name that no one knows, which counts as not said. */
function decoderOf(charset: string | undefined): TextDecoder | undefined {
  if (charset === undefined) return undefined
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}

const charsetOf = (text: string): string | undefined => /charset\s*=\s*["']?\s*([\w.:+-]{1,40})/i.exec(text)?.[1]

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, META_WITHIN_BYTES)).toString('latin1')
  const declaration = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:+-]{1,40})/.exec(start)?.[1]
  for (const [tag] of start.matchAll(/<meta\b[^>]{0,500}>/gi)) {
    const charset = charsetOf(tag)
    // A page that can be read as ASCII is not in UTF-16, whatever it says (HTML, section 13.2.3.2).
    if (charset !== undefined) return /^utf-?16/i.test(charset) ? 'utf-8' : charset
  }
  return declaration
}

function guessDecoder(bytes: Uint8Array): TextDecoder | undefined {
  // Markup is ASCII in all of these, and only hides what the text is in.
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  for (const { name } of analyse(sample)) {
    const decoder = decoderOf(name)
    if (decoder !== undefined) return decoder
  }
  return undefined
}
