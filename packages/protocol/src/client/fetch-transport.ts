/**
 * A transport over `fetch`, for a client that makes few requests: a command, a browser.
 *
 * It sets no deadline of its own; the request's signal ends an exchange. Its owner brings the way out (`fetch`), with
 * credentials and the words for a server that is not there, and may hear every message as it is on the wire.
 */
import { parseJson } from '../json.ts'
import { isResponse, readMessage, type Message, type Response } from '../message.ts'
import { lost, malformed } from './answer.ts'
import { createEventStream, EventTooLarge } from './event-stream.ts'
import { header, readAs, type Incoming, type Outgoing, type Transport } from './transport.ts'

export interface FetchTransportParts {
  /** The server's name in errors. */
  readonly alias: string
  readonly url: string
  readonly fetch: (url: string, init: RequestInit) => Promise<globalThis.Response>
  refusal(incoming: Incoming): Error
  /** Each message that is sent or heard, with the id of the request whose exchange it belongs to. */
  onWire?(direction: 'sent' | 'heard', message: Message, request: number | undefined): void
}

/** Characters of one event; beyond it the exchange ends, so that memory stays bounded. */
const LONGEST_EVENT = 32 * 1024 * 1024
const ACCEPT = 'application/json, text/event-stream'

export function createFetchTransport({ alias, url, fetch, refusal, onWire }: FetchTransportParts): Transport {
  async function send(outgoing: Outgoing): Promise<Incoming> {
    const { method, headers, body, signal, until, onHead } = outgoing
    if (body !== undefined && onWire !== undefined) onWire('sent', readMessage(parseJson(body)), until)
    const response = await fetch(url, {
      method,
      headers: { accept: ACCEPT, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
    const { status } = response
    const head = { status, headers: Object.fromEntries(response.headers), lastEventId: undefined, retry: undefined }
    onHead?.(status)
    if (header(head, 'content-type')?.startsWith('text/event-stream') === true)
      return { ...head, stream: true, text: '', ...(await hear(response, outgoing)) }
    const text = await response.text()
    if (text !== '' && header(head, 'content-type')?.includes('json') === true) heard(text, until)
    return { ...head, stream: false, text, response: undefined }
  }

  /** Tells of a body; one that is no message is for its reader to refuse. */
  function heard(text: string, until: number | undefined): void {
    if (onWire === undefined) return
    try {
      onWire('heard', readMessage(parseJson(text)), until)
    } catch {
      // A problem document of what stands before the server.
    }
  }

  async function hear(body: globalThis.Response, { until, onMessage }: Outgoing) {
    const events = createEventStream(LONGEST_EVENT)
    let response: Response | undefined
    const take = (text: string) => {
      const message = readAs({ alias }, text)
      onWire?.('heard', message, until)
      if (response === undefined && isResponse(message) && (message.id === until || message.id === undefined))
        response = message
      else onMessage?.(message)
    }
    try {
      for await (const chunk of body.body ?? []) {
        for (const text of events.feed(chunk as Uint8Array)) take(text)
        // What the server still says after its answer is not waited for.
        if (response !== undefined && until !== undefined) break
      }
    } catch (thrown) {
      if (thrown instanceof EventTooLarge) throw malformed(alias, 'it sends an event that is too large')
      // A stream that breaks off may be fetched again from its last event.
      if (!(thrown instanceof TypeError)) throw thrown
      if (events.lastEventId === undefined) throw lost(alias, thrown)
    }
    return { response, lastEventId: events.lastEventId, retry: events.retry }
  }

  return { alias, timeout: Infinity, send, sendLast: send, refusal, mask: (text) => text }
}
