/**
 * Syslog over TLS: RFC 5424 messages, framed by octet counting (RFC 6587 section 3.4.1, RFC 5425 section 4.3).
 *
 * Syslog has no acknowledgement. A batch has a connection of its own, which this end closes for writing; it counts as taken when the
 * receiver then closes its end without an error (RFC 5425 section 4.4), which it does once it has read everything.
 */
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { StreamItem } from '../stream-items.rows.ts'
import { DeliveryProblem, type Deliver, type DestinationParts, type OfKind, type Secrets } from './destination.ts'

/** Facility 13: log audit. */
const AUDIT = 13
const SEVERITY: Readonly<Record<string, number>> = { ok: 6, tool_error: 5, refused: 4, failed: 4, unknown: 4 }
const INFORMATIONAL = 6

/** Printable ASCII without spaces, as the fields of the header want it (RFC 5424 section 6). */
const headerField = (text: string, most: number): string =>
  text.replaceAll(/[^\u0021-\u007e]/g, '_').slice(0, most) || '-'

/** JSON in ASCII: what is beyond it is escaped, so that no byte order mark is needed (RFC 5424 section 6.4). */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function syslogMessage(item: StreamItem, host: string): string {
  const priority = AUDIT * 8 + (SEVERITY[item.outcome] ?? INFORMATIONAL)
  const name = headerField(item.kind === 'alert' ? item.method : item.kind, 32)
  return `<${priority}>1 ${item.at} ${headerField(host, 255)} toolway - ${name} - ${asciiJson(item)}`
}

/** The text is ASCII, so its length is its octets. */
const frameMessage = (message: string): string => `${message.length} ${message}`

export const toSyslog =
  (
    { connect, host: self }: DestinationParts,
    target: OfKind<'syslog'>,
    { private_key: privateKey }: Secrets,
  ): Deliver =>
  async ({ items }, signal) => {
    const { host, port, ca, certificate } = target
    const socket = await connect({ host, port, ca, certificate, privateKey })
    const abort = () => socket.destroy(new DeliveryProblem('it did not close the connection in time'))
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    try {
      await send(socket, items, self)
    } finally {
      signal.removeEventListener('abort', abort)
      socket.on('error', () => {}).destroy()
    }
  }

async function send(socket: Duplex, items: readonly StreamItem[], host: string): Promise<void> {
  const ended = once(socket, 'end')
  ended.catch(() => {})
  socket.resume() // nothing is expected, and the end is only seen by who reads
  for (const item of items) {
    if (!socket.write(frameMessage(syslogMessage(item, host)), 'latin1')) await once(socket, 'drain')
  }
  socket.end()
  await ended
}
