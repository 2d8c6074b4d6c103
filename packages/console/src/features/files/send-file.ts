/** Sends a file from this browser to its upload address, and goes on where it stopped when the line breaks. */
import { addFile, type FileEntry } from '@toolway/contract/admin'
import { call } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'

const TRIES = 5
const PAUSE_MS = 1_500
const PIECE = 'application/offset+octet-stream'

/** `onSent` hears how many bytes are there. Throws a Problem. */
export async function sendFile(
  organization: string,
  file: File,
  { signal, onSent }: { readonly signal: AbortSignal; readonly onSent: (bytes: number) => void },
): Promise<FileEntry> {
  const wish = {
    name: file.name,
    size: file.size,
    link_seconds: 86_400,
    ...(file.type === '' ? {} : { media_type: file.type }),
  }
  const { upload, ...made } = await call(addFile, { path: { organization }, body: wish, signal })
  // The page's own origin, whatever name the gateway has elsewhere.
  const address = new URL(upload.url).pathname
  let offset = 0
  for (let tries = 1; ; tries++) {
    const { status, body } = await patch(address, file, offset, { signal, onSent })
    if (status === 204) return made
    signal.throwIfAborted()
    if (status !== 0 && status < 500 && status !== 409 && status !== 423) throw problemOf(status, body)
    if (tries === TRIES) throw problemOf(status, body)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    const head = await fetch(address, { method: 'HEAD', signal }).catch(() => undefined)
    offset = Number(head?.headers.get('upload-offset') ?? offset)
  }
}

const problemOf = (status: number, body: string) => {
  const json = readJson(body)
  return new Problem({
    message: json.detail ?? texts.failed.noAnswer,
    mend: json.mend ?? texts.failed.askAgain,
    asked: `PATCH ${status}`,
  })
}

function readJson(text: string): { readonly detail?: string; readonly mend?: string } {
  try {
    return JSON.parse(text) as { detail?: string; mend?: string }
  } catch {
    return {}
  }
}

interface Sending {
  readonly signal: AbortSignal
  readonly onSent: (bytes: number) => void
}

/** XMLHttpRequest tells how far an upload is, and `fetch` does not. A status of 0: the line broke. */
function patch(address: string, file: File, offset: number, { signal, onSent }: Sending) {
  return new Promise<{ readonly status: number; readonly body: string }>((resolve) => {
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    signal.addEventListener('abort', stop)
    request.open('PATCH', address)
    request.setRequestHeader('Content-Type', PIECE)
    request.setRequestHeader('Upload-Offset', String(offset))
    request.upload.addEventListener('progress', ({ loaded }) => onSent(offset + loaded))
    request.addEventListener('loadend', () => {
      signal.removeEventListener('abort', stop)
      resolve({ status: request.status, body: request.responseText })
    })
    request.send(file.slice(offset))
  })
}
