/**
 * An OpenAPI document as a command names it: an address, which the gateway fetches, a ZIP archive, which it opens, or a file or folder of
 * this machine, which is sent together with the files that it refers to.
 *
 * Files are read in the document's folder and below it only: a document of somebody else must not fetch other files of this machine.
 */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, isAbsolute } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { bundle, type FileText } from '../../upstreams/openapi/document/bundle.ts'
import { documentAmong } from '../../upstreams/openapi/document/document-among.ts'
import { LIMITS } from '../../upstreams/openapi/document/limits.ts'
import { DocumentProblem } from '../../upstreams/openapi/document/parse-document.ts'
import { textOfBytes, textOrReason } from '../../upstreams/openapi/document/text-of-bytes.ts'
import { isZip } from '../../upstreams/openapi/document/zip.ts'
import { CommandFault } from '../terminal/output.ts'

const pack = promisify(gzip)

type Source = { readonly document_url: string } | { readonly document_gzip: string } | { readonly document_zip: string }

/** Throws CommandFault. */
export async function sourceOf(source: string): Promise<Source> {
  if (/^https?:\/\//i.test(source)) return { document_url: source }
  const file = await fileOf(source)
  const bytes = await readFile(file)
  if (isZip(bytes)) return { document_zip: bytes.toString('base64') }
  const whole = await bundleDocument(textIn(bytes, file), file)
  return { document_gzip: (await pack(whole)).toString('base64') }
}

/** Throws CommandFault. */
function textIn(bytes: Uint8Array, file: string): string {
  try {
    return textOfBytes(bytes)
  } catch (thrown) {
    throw thrown instanceof DocumentProblem
      ? new CommandFault(`The document ${file} cannot be read: ${thrown.message}.`)
      : thrown
  }
}

const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

/** The file itself, or the document of a folder. Throws CommandFault. */
async function fileOf(source: string): Promise<string> {
  const found = await stat(source).catch(() => undefined)
  const file = found?.isDirectory() === true ? await documentIn(source) : source
  if (!(await isFile(file)))
    throw new CommandFault(
      `The file ${source} does not exist. If you meant an address, it must start with http:// or https://.`,
    )
  if ((await stat(file)).size > LIMITS.bytes) throw tooLarge(file)
  return file
}

/** Throws CommandFault. */
async function documentIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => /\.(?:ya?ml|json)$/i.test(name)).toSorted()
  const texts = new Map<string, string>()
  for (const name of names.slice(0, LIMITS.files)) {
    const path = join(folder, name)
    if ((await isFile(path)) && (await stat(path)).size <= LIMITS.bytes) texts.set(name, await readFile(path, 'utf8'))
  }
  const found = documentAmong([...texts.keys()], (name) => texts.get(name))
  if (typeof found === 'string') return join(folder, found)
  throw new CommandFault(`The folder ${folder} ${found.problem}. You can also name the file itself.`)
}

const tooLarge = (file: string) => new CommandFault(`The file ${file} is larger than ${LIMITS.bytes} bytes.`)

/** With the files that it refers to. Throws CommandFault. */
async function bundleDocument(text: string, file: string): Promise<string> {
  const folder = await realpath(dirname(file))
  let length = text.length
  const read = async (path: string): Promise<FileText> => {
    const realFile = await realpath(join(folder, path)).catch(() => undefined)
    if (realFile === undefined || !isBelow(folder, realFile) || !(await isFile(realFile))) return undefined
    length += (await stat(realFile)).size
    if (length > LIMITS.bytes) throw tooLarge(`${file}, with the files that it refers to,`)
    const bytes = await readFile(realFile)
    return textOrReason(() => bytes)
  }
  try {
    return (await bundle(text, { at: basename(file), read, most: LIMITS.files })) ?? text
  } catch (thrown) {
    if (!(thrown instanceof DocumentProblem)) throw thrown
    throw new CommandFault(`The document ${file} cannot be read with the files that it refers to: ${thrown.message}.`)
  }
}

function isBelow(folder: string, file: string): boolean {
  const path = relative(folder, file)
  return path !== '' && !path.startsWith('..') && !isAbsolute(path)
}
