/** Folders that a client names as `file:` addresses (RFC 8089). */
import { fileURLToPath } from 'node:url'
import { Refusal } from '../refusal.ts'
import { partsOf } from './paths.ts'

/** Absolute. Throws a `Refusal` for what is no address of a folder on this machine. */
export function pathOfFileUri(uri: string): string {
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  if (url?.protocol !== 'file:') throw new Refusal(`${quoteUri(uri)} is not a file: address.`)
  if (url.hostname !== '') throw new Refusal(`${quoteUri(uri)} points to another machine: ${url.hostname}.`)
  if (url.search !== '' || url.hash !== '') throw new Refusal(`${quoteUri(uri)} contains more than a path.`)
  if (/^\/[a-z](?::|%3a|\|)(?:\/|$)/i.test(url.pathname))
    throw new Refusal(`${quoteUri(uri)} is a Windows path, which does not exist on this machine.`)
  try {
    return `/${partsOf(fileURLToPath(url)).join('/')}`
  } catch (thrown) {
    if (thrown instanceof Refusal) throw new Refusal(`${quoteUri(uri)} is not valid. ${thrown.message}`)
    throw new Refusal(`${quoteUri(uri)} contains an encoded "/" or is encoded incorrectly.`)
  }
}

const quoteUri = (uri: string): string => JSON.stringify(uri.slice(0, 200))
