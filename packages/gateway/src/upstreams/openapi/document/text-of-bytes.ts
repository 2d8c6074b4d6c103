/**
 * Bytes of a file as text: UTF-8, or UTF-16 where a byte order mark says so, as some editors and shells of Windows write it.
 *
 * Any other encoding is refused by name: a text with replaced characters would be read as something that nobody wrote.
 */
import type { Unread } from './bundle.ts'
import { DocumentProblem } from './parse-document.ts'

/** Throws DocumentProblem. */
export function textOfBytes(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new DocumentProblem('it is not text in UTF-8: save it in that encoding')
  }
}

/** For a file beside the document: one that is no text leaves out what is described in it. */
export function textOrReason(read: () => Uint8Array): string | Unread {
  try {
    return textOfBytes(read())
  } catch (thrown) {
    if (!(thrown instanceof DocumentProblem)) throw thrown
    return { unread: `cannot be read: ${thrown.message}` }
  }
}
