/**
 * Content between a disk and a gateway, by the addresses of one transfer. A transfer that breaks off goes on where it stopped; nothing
 * is called done before size and hash fit.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandFault, EXIT } from '../../cli/terminal/output.ts'

/** How often a transfer is taken up again, and milliseconds between two tries. */
const TRIES = 6
const PAUSE_MS = 2_000

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** The size of a plain file. */
export async function sizeOfFile(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) throw new CommandFault(`${path} is not a readable file.`, EXIT.usage)
  return found.size
}

export type Told = (done: number) => void

/** Sends all of a file to an upload address. Throws CommandFault. */
export async function sendContent(url: string, path: string, size: number, onProgress: Told): Promise<void> {
  let offset = 0
  for (let tries = 1; ; tries++) {
    const answer = await sendFrom(url, path, offset, onProgress).catch((thrown: Error) => thrown)
    if (answer instanceof Response && answer.ok) return
    const problem = answer instanceof Response ? await problemOf(answer) : causeOf(answer)
    if (answer instanceof Response && answer.status < 500 && ![408, 409, 423].includes(answer.status))
      throw new CommandFault(problem, EXIT.failed)
    if (tries === TRIES) throw new CommandFault(`The upload was interrupted: ${problem}`, EXIT.unreachable)
    await sleep(PAUSE_MS)
    const head = await fetch(url, { method: 'HEAD' }).catch(() => undefined)
    // All of it arrived, and the answer did not.
    if (head?.status === 404 && offset > 0) return
    const received = Number(head?.headers.get('upload-offset') ?? offset)
    offset = received
    if (offset === size && size > 0) return
  }
}

function sendFrom(url: string, path: string, offset: number, onProgress: Told): Promise<Response> {
  const headers = { 'tus-resumable': '1.0.0', 'upload-offset': String(offset), 'content-type': PIECE }
  const body = Readable.toWeb(Readable.from(countBytes(createReadStream(path, { start: offset }), offset, onProgress)))
  return fetch(url, { method: 'PATCH', headers, body: body as ReadableStream, duplex: 'half' })
}
const PIECE = 'application/offset+octet-stream'

async function* countBytes(source: AsyncIterable<Uint8Array>, start: number, onProgress: Told) {
  let done = start
  for await (const chunk of source) {
    onProgress((done += chunk.length))
    yield chunk
  }
}

interface Wanted {
  readonly size: number
  readonly sha256: string
  /** Asks for an address; each is good once. */
  address(): Promise<string>
}

/** Writes a file beside its place and renames it when it is whole. Throws CommandFault. */
export async function receiveContent(path: string, { size, sha256, address }: Wanted, onProgress: Told): Promise<void> {
  const part = `${path}.part`
  await rm(part, { force: true })
  for (let tries = 1; ; tries++) {
    const done = (await stat(part).catch(() => undefined))?.size ?? 0
    const broken = await receiveFrom(await address(), part, done, onProgress).catch((thrown: Error) => thrown)
    if (broken === undefined) break
    if (broken instanceof CommandFault) throw broken
    if (tries === TRIES) throw new CommandFault(`The download was interrupted: ${causeOf(broken)}`, EXIT.unreachable)
    await sleep(PAUSE_MS)
  }
  if ((await sizeOfFile(part)) !== size || (await hashOfFile(part)) !== sha256) {
    await rm(part, { force: true })
    throw new CommandFault('The downloaded content does not match the file, so it was discarded.', EXIT.failed)
  }
  await rename(part, path)
}

async function receiveFrom(url: string, part: string, done: number, onProgress: Told): Promise<undefined> {
  const answer = await fetch(url, done === 0 ? {} : { headers: { range: `bytes=${done}-` } })
  if (!answer.ok || answer.body === null) throw new CommandFault(await problemOf(answer), EXIT.failed)
  const source = countBytes(answer.body, done, onProgress)
  await pipeline(source, createWriteStream(part, { flags: done === 0 ? 'w' : 'a', mode: 0o600 }))
}

async function problemOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => ({}))) as { detail?: string; mend?: string }
  return `${body.detail ?? `The gateway returned HTTP ${answer.status}.`} ${body.mend ?? ''}`.trim()
}

const causeOf = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message : message)
