/**
 * An OpenAPI document as a command names it: an address, which the gateway fetches, or a file of this machine, which is sent together
 * with the files that it refers to.
 *
 * Files are read in the document's folder and below it only: a document of somebody else must not fetch other files of this machine.
 */
import { DOCUMENT_LIMIT } from '@toolway/contract'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, isAbsolute } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { bundle } from '../../upstreams/openapi/document/bundle.ts'
import { DocumentProblem } from '../../upstreams/openapi/document/parse-document.ts'
import { CommandFault } from '../terminal/output.ts'

const pack = promisify(gzip)

type Source = { readonly document_url: string } | { readonly document_gzip: string }

/** Files beside the document. */
const MOST_FILES = 2_000
const NAMES = ['openapi', 'swagger', 'api', 'index'].flatMap((name) =>
  ['yaml', 'yml', 'json'].map((end) => `${name}.${end}`),
)

/** Throws CommandFault. */
export async function sourceOf(source: string): Promise<Source> {
  if (/^https?:\/\//i.test(source)) return { document_url: source }
  const file = await fileOf(source)
  const text = await readFile(file, 'utf8')
  const whole = await bundled(text, file)
  return { document_gzip: (await pack(whole)).toString('base64') }
}

const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

/** The file itself, or the document of a folder. Throws CommandFault. */
async function fileOf(source: string): Promise<string> {
  const found = await stat(source).catch(() => undefined)
  const names = found?.isDirectory() === true ? NAMES.map((name) => join(source, name)) : [source]
  for (const name of names) {
    if (!(await isFile(name))) continue
    if ((await stat(name)).size > DOCUMENT_LIMIT) throw tooLarge(name)
    return name
  }
  if (found?.isDirectory() === true)
    throw new CommandFault(
      `The folder ${source} has no document named openapi.yaml, openapi.json or similar: name the file.`,
    )
  throw new CommandFault(
    `The file ${source} does not exist. If you meant an address, it must start with http:// or https://.`,
  )
}

const tooLarge = (file: string) => new CommandFault(`The file ${file} is larger than ${DOCUMENT_LIMIT} bytes.`)

/** With the files that it refers to. Throws CommandFault. */
async function bundled(text: string, file: string): Promise<string> {
  const folder = await realpath(dirname(file))
  let bytes = text.length
  const read = async (path: string): Promise<string | undefined> => {
    const place = await realpath(join(folder, path)).catch(() => undefined)
    if (place === undefined || !isBelow(folder, place) || !(await isFile(place))) return undefined
    bytes += (await stat(place)).size
    if (bytes > DOCUMENT_LIMIT) throw tooLarge(`${file}, with the files that it refers to,`)
    return readFile(place, 'utf8')
  }
  try {
    return (await bundle(text, { read, most: MOST_FILES })) ?? text
  } catch (thrown) {
    if (!(thrown instanceof DocumentProblem)) throw thrown
    throw new CommandFault(`The document ${file} cannot be read with the files that it refers to: ${thrown.message}.`)
  }
}

function isBelow(folder: string, place: string): boolean {
  const path = relative(folder, place)
  return path !== '' && !path.startsWith('..') && !isAbsolute(path)
}
