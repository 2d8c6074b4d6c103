/**
 * One connection of the oldest transport (HTTP+SSE of revision 2024-11-05) that makes one call after another.
 *
 * Two sockets: calls are posted on one, answers come as events of a stream on the other. Each lane is a session of its own, as
 * the transport has it. A call ends when both its post and its answer are in. The same checks and limits as in `load-lane.ts`; the
 * stream may be silent between calls, so that a session lasts over all rounds.
 */
import { get } from 'node:http'
import { connect } from 'node:net'
import { readReply } from './http-reply.ts'
import type { LaneParts } from './load-lane.ts'
import { type CallTarget, createCallText, faultIn, openingOf, readEvent } from './mcp-call.ts'

const REVISION = '2024-11-05'
const INITIALIZE_ID = 0

type Heard = (data: string) => void
type Ended = (why: string) => void

export function createEventLane({ target, nextId, limitMs }: LaneParts) {
  let link: Awaited<ReturnType<typeof openLink>> | undefined
  let settle: ((fault: string | undefined) => void) | undefined
  let id = 0

  function end(fault: string | undefined): void {
    const settled = settle
    settle = undefined
    settled?.(fault)
  }
  const heard: Heard = (data) => {
    // A notification or a request of the server is no answer.
    if (!data.includes('"method"')) end(faultIn({ status: 200, contentType: 'application/json', body: data }, id, true))
  }
  const ended: Ended = (why) => {
    link?.close()
    link = undefined
    end(why)
  }

  return {
    /** Connects when there is no live session. Resolves to the reason when that fails. */
    async open(): Promise<string | undefined> {
      try {
        link ??= await openLink(target, limitMs, heard, ended)
        return undefined
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message : String(thrown)
      }
    },
    /** One call. Resolves to undefined, or to what was wrong with it. */
    async call(): Promise<string | undefined> {
      const refused = await this.open()
      if (link === undefined) return refused ?? 'the stream was closed'
      id = nextId()
      const answered = new Promise<string | undefined>((resolve) => (settle = resolve))
      const timer = setTimeout(() => ended(`no answer within ${limitMs} ms`), limitMs)
      const notTaken = await link.call(id)
      // The session cannot be used any more: the next call opens another.
      if (notTaken !== undefined) ended(notTaken)
      return answered.finally(() => clearTimeout(timer))
    },
    close(): void {
      link?.close()
      link = undefined
    },
  }
}

/** A session that is initialized. `heard` gets every message after that, `ended` why there are no more. */
async function openLink(target: CallTarget, limitMs: number, heard: Heard, ended: Ended) {
  const opened = Promise.withResolvers<void>()
  // It may be rejected while the first message is being posted.
  opened.promise.catch(() => undefined)
  let listener: Heard = (data) => {
    if ((JSON.parse(data) as { id?: unknown }).id === INITIALIZE_ID) opened.resolve()
  }
  const { url, close, keep } = await openStream(
    target.url,
    limitMs,
    (data) => listener(data),
    (why) => {
      opened.reject(new Error(why))
      ended(why)
    },
  )
  const posts = createPosts(url, limitMs)
  const opening = openingOf(REVISION)
  const calls = createCallText({ ...target, url: url.href })
  const plain = (body: string) =>
    `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const closeBoth = () => {
    posts.close()
    close()
  }
  try {
    const notTaken = await posts.send(plain(opening.initialize))
    if (notTaken !== undefined) throw new Error(`initialize: ${notTaken}`)
    await opened.promise
    await posts.send(plain(opening.initialized))
  } catch (thrown) {
    closeBoth()
    throw thrown
  }
  listener = heard
  keep()
  return { call: (id: number) => posts.send(calls(id)), close: closeBoth }
}

interface Stream {
  /** The address for messages. */
  readonly url: URL
  readonly close: () => void
  /** From now on it may be silent for as long as it likes. */
  readonly keep: () => void
}

/** Resolves once the server named the address for messages; rejects when it does not. */
function openStream(from: string, limitMs: number, heard: Heard, ended: Ended): Promise<Stream> {
  return new Promise((resolve, reject) => {
    let over = false
    const fail = (why: string) => {
      if (over) return
      over = true
      reject(new Error(why))
      ended(why)
    }
    const close = () => {
      over = true
      request.destroy()
    }
    const keep = () => void request.setTimeout(0)
    const request = get(from, { agent: false, headers: { accept: 'text/event-stream' } }, (response) => {
      if (response.statusCode !== 200) return void request.destroy(new Error(`status ${response.statusCode}`))
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const events = (text + chunk).split(/\r?\n\r?\n/)
        text = events.pop() ?? ''
        for (const { name, data } of events.map(readEvent)) {
          if (name === 'endpoint') resolve({ url: new URL(data, from), close, keep })
          else if (data !== '') heard(data)
        }
      })
      response.on('error', (error) => fail(error.message)).on('end', () => fail('the stream was closed'))
    })
    request.setTimeout(limitMs, () => request.destroy(new Error(`no event within ${limitMs} ms`)))
    request.on('error', (error) => fail(error.message))
  })
}

/** Posts messages, one at a time, over one connection; over another where the server closed it between two. */
function createPosts({ hostname, port }: URL, limitMs: number) {
  let socket: ReturnType<typeof connect> | undefined
  let received = ''
  let settle: ((fault: string | undefined) => void) | undefined
  function end(fault: string | undefined): void {
    const settled = settle
    settle = undefined
    settled?.(fault)
  }
  function receive(chunk: Buffer): void {
    received += chunk.toString('latin1')
    try {
      const reply = readReply(received)
      if (reply === undefined) return
      received = received.slice(reply.length)
      if (!reply.keepAlive) socket?.destroy()
      end(reply.status === 202 ? undefined : `status ${reply.status}: ${reply.body.slice(0, 200)}`)
    } catch (thrown) {
      socket?.destroy()
      end(String(thrown))
    }
  }
  function open() {
    const fresh = connect({ host: hostname, port: Number(port), noDelay: true })
    received = ''
    // A connection that was given up may still speak or close: that is no longer about the message under way.
    const ofThis = (speak: () => void) => socket === fresh && speak()
    fresh.setTimeout(limitMs, () => fresh.destroy(new Error(`no answer within ${limitMs} ms`)))
    fresh.on('data', (chunk) => ofThis(() => receive(chunk)))
    fresh.on('error', (error) => ofThis(() => end(error.message)))
    fresh.on('close', () => ofThis(() => end('the connection was closed')))
    return fresh
  }
  return {
    /** Resolves to undefined when it was accepted, or to what was wrong. */
    send(text: string): Promise<string | undefined> {
      return new Promise((resolve) => {
        settle = resolve
        if (socket === undefined || socket.destroyed) socket = open()
        socket.write(text, 'latin1')
      })
    },
    close: () => void socket?.destroy(),
  }
}
