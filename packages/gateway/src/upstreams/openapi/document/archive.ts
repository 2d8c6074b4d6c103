/**
 * A ZIP archive to one document: which of its files the document is, with those that it refers to.
 *
 * The document is the file named `openapi.yaml` or alike that is nearest to the top, else the only file that says it is one. Files that
 * nothing refers to are never unpacked.
 */
import { bundle, type FileText } from './bundle.ts'
import { documentAmong } from './document-among.ts'
import { DocumentProblem } from './parse-document.ts'
import { textOfBytes, textOrReason } from './text-of-bytes.ts'
import { openZip, type ZipFiles, type ZipLimits } from './zip.ts'

const ARCHIVE = /\.(?:zip|jar|7z|rar|tar|tgz|gz)$/i

/** The text of the document, with its files in it. Throws DocumentProblem. */
export async function documentOfArchive(bytes: Uint8Array, limits: ZipLimits): Promise<string> {
  const files = openZip(bytes, limits)
  const at = documentAmong([...files.keys()], (path) => plainText(files, path))
  if (typeof at !== 'string') throw new DocumentProblem(`its ZIP archive ${at.problem}${nestedIn(files)}`)
  const text = textOfBytes(files.get(at)?.() ?? new Uint8Array())
  return (await bundle(text, { at, read: (place) => textIn(files, place), most: limits.files })) ?? text
}

const nestedIn = (files: ZipFiles) => {
  const nested = [...files.keys()].find((path) => ARCHIVE.test(path))
  return nested === undefined
    ? ''
    : `; it contains another archive, ${JSON.stringify(nested.slice(0, 100))}: unpack that one first`
}

function textIn(files: ZipFiles, place: string): FileText {
  const file = files.get(place)
  if (file === undefined) return undefined
  return ARCHIVE.test(place) ? { unread: 'is an archive itself' } : textOrReason(file)
}

/** Undefined for what is no text. */
function plainText(files: ZipFiles, place: string): string | undefined {
  const text = textIn(files, place)
  return typeof text === 'string' ? text : undefined
}
