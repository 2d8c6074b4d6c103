/** An OpenAPI document as a command names it: an address, which the gateway fetches, or a file of this machine, which is sent. */
import { DOCUMENT_LIMIT } from '@toolway/contract'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { CommandFault } from '../terminal/output.ts'

const pack = promisify(gzip)

type Source = { readonly document_url: string } | { readonly document_gzip: string }

/** Throws CommandFault. */
export async function sourceOf(source: string): Promise<Source> {
  if (/^https?:\/\//i.test(source)) return { document_url: source }
  const found = await stat(source).catch(() => undefined)
  if (found?.isFile() !== true)
    throw new CommandFault(
      `The file ${source} does not exist. If you meant an address, it must start with http:// or https://.`,
    )
  if (found.size > DOCUMENT_LIMIT) throw new CommandFault(`The file ${source} is larger than ${DOCUMENT_LIMIT} bytes.`)
  return { document_gzip: (await pack(await readFile(source))).toString('base64') }
}
