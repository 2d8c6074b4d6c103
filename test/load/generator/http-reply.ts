/**
 * Parses one HTTP/1.1 reply once it has arrived whole.
 *
 * Reads just enough for a load generator: status line, content type, length or chunked framing (RFC 9112 sections 4, 6.3 and
 * 7.1). Text is latin1, one character per byte, so lengths agree. Never reads a body that ends with the connection: no target
 * here needs one.
 */
export interface Reply {
  readonly status: number
  readonly contentType: string
  readonly body: string
  /** Characters of `received` that belong to this reply. */
  readonly length: number
  /** False when the server said it will close the connection. */
  readonly keepAlive: boolean
}

/** The first reply in `received`; undefined while it is incomplete; throws on what is not a framed HTTP reply. */
export function readReply(received: string): Reply | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = received.slice(0, headEnd + 2)
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
  if (Number.isNaN(status)) throw new Error(`not an HTTP/1.1 reply: ${head.slice(0, 60)}`)
  const framed = readBody(received, headEnd + 4, head)
  if (framed === undefined) return undefined
  return {
    status,
    contentType: /\r\ncontent-type: *([^\r]*)/i.exec(head)?.[1] ?? '',
    keepAlive: !/\r\nconnection: *close/i.test(head),
    ...framed,
  }
}

type Framed = Pick<Reply, 'body' | 'length'>

function readBody(received: string, start: number, head: string): Framed | undefined {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) {
    const end = start + Number(length)
    return received.length < end ? undefined : { body: received.slice(start, end), length: end }
  }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return readChunks(received, start)
  throw new Error('a reply without a length')
}

function readChunks(received: string, start: number): Framed | undefined {
  let body = ''
  for (let at = start; ;) {
    const lineEnd = received.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(received.slice(at, lineEnd), 16)
    if (Number.isNaN(size)) throw new Error('a chunk without a size')
    const end = lineEnd + 2 + size
    if (received.length < end + 2) return undefined
    body += received.slice(lineEnd + 2, end)
    at = end + 2
    if (size === 0) return { body, length: at }
  }
}
