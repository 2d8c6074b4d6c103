/** Sends a file as an attachment. The first frame is verified before the head is sent, so that damage there is an error and no file. */
import type { ServerResponse } from 'node:http'
import { attachmentOf } from '../../features/files/index.ts'
import type { ByteRange, StoredFile } from '../../snapshot/ports/file-store.ts'

/** Types that a browser runs, whatever the other headers say: they are sent as bytes. */
const ACTIVE = /html|xml|svg|script/
const BYTES = 'application/octet-stream'
/** Milliseconds in which the client takes nothing. */
const SILENCE_MS = 60_000

export async function sendFile(
  response: ServerResponse,
  file: StoredFile,
  range: ByteRange | undefined,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const pieces = content[Symbol.asyncIterator]()
  let next = await pieces.next()
  response.writeHead(range === undefined ? 200 : 206, headOf(file, range))
  response.setTimeout(SILENCE_MS, () => response.destroy())
  try {
    for (; next.done !== true; next = await pieces.next()) {
      if (response.destroyed) return
      if (!response.write(next.value)) await whenDrained(response)
    }
    response.end()
  } finally {
    await pieces.return?.()
  }
}

/** Resolves when the client took what was written, or is gone. */
const whenDrained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })

function headOf(
  { name, mediaType, size, sha256 }: StoredFile,
  range: ByteRange | undefined,
): Record<string, string | number> {
  const last = Math.min(range?.end ?? size - 1, size - 1)
  const start = range?.start ?? 0
  return {
    'content-type': ACTIVE.test(mediaType) ? BYTES : mediaType,
    'content-length': range === undefined ? size : last - start + 1,
    'content-disposition': attachmentOf(name),
    'accept-ranges': 'bytes',
    etag: `"${sha256}"`,
    'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${last}/${size}` }),
  }
}
