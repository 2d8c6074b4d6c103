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
  if (typeof at !== 'string') throw withoutDocument(at.problem, files)
  const text = textOfBytes(files.get(at)?.() ?? new Uint8Array())
  return (await bundle(text, { at, read: (place) => textIn(files, place), most: limits.files })) ?? text
}

function withoutDocument(problem: string, files: ZipFiles): DocumentProblem {
  const nested = [...files.keys()].find((path) => ARCHIVE.test(path))
  if (nested === undefined) return new DocumentProblem(`its ZIP archive ${problem}`)
  const name = JSON.stringify(nested.slice(0, 100))
  return new DocumentProblem(`its ZIP archive ${problem}; it contains another archive, ${name}: unpack that one first`)
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
