/**
 * A transport over `fetch`, for a client that makes few requests: a command, a browser.
 *
 * It sets no deadline of its own; the request's signal ends an exchange. Its owner brings the way out (`fetch`), with
 * credentials and the words for a server that is not there, and may hear every message as it is on the wire.
 */
import { parseJson } from '../json.ts'
import { readMessage, type Id, type Message } from '../message.ts'
import { header, hearUntil, isStreamType, lost, malformedUpstream } from './answer.ts'
import { createEventStream, EventTooLarge } from './event-stream.ts'
import type { Incoming, Outgoing, Transport } from './transport.ts'

export interface FetchTransportParts {
  /** The server's name in errors. */
  readonly alias: string
  readonly url: string
  readonly fetch: (url: string, init: RequestInit) => Promise<globalThis.Response>
  refusal(incoming: Incoming): Error
  /** Each message that is sent or heard, with the id of the request whose exchange it belongs to. */
  onWire?(direction: 'sent' | 'heard', message: Message, request: Id | undefined): void
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
    if (isStreamType(header(head, 'content-type')))
      return { ...head, stream: true, text: '', ...(await readResponse(response, outgoing)) }
    const text = await response.text()
    if (text !== '' && header(head, 'content-type')?.includes('json') === true) receive(text, until)
    return { ...head, stream: false, text, response: undefined }
  }

  /** Tells of a body; one that is no message is for its reader to refuse. */
  function receive(text: string, until: Id | undefined): void {
    if (onWire === undefined) return
    try {
      onWire('heard', readMessage(parseJson(text)), until)
    } catch {
      // A problem document of what stands before the server.
    }
  }

  async function readResponse(response: globalThis.Response, outgoing: Outgoing) {
    const events = createEventStream(LONGEST_EVENT)
    async function* texts() {
      for await (const chunk of response.body ?? []) {
        for (const text of events.feed(chunk as Uint8Array)) {
          receive(text, outgoing.until)
          yield text
        }
      }
      for (const text of events.end()) {
        receive(text, outgoing.until)
        yield text
      }
    }
    const found = await hearUntil({ alias }, texts(), outgoing).catch(refuseUnlessResumable)
    return { response: found, lastEventId: events.lastEventId, retry: events.retry }

    function refuseUnlessResumable(thrown: unknown): undefined {
      if (thrown instanceof EventTooLarge) throw malformedUpstream(alias, 'it sent an event that is too large')
      if (!(thrown instanceof TypeError)) throw thrown
      // A stream that breaks off may be fetched again from its last event.
      if (events.lastEventId === undefined) throw lost(alias, thrown)
    }
  }

  return { alias, timeout: Infinity, send, sendLast: send, refusal, mask: (text) => text }
}
