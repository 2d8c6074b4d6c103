/**
 * One connection of the oldest transport (HTTP+SSE of revision 2024-11-05) that makes one call after another.
 *
 * Two sockets: calls are posted on one, answers come as events of a stream on the other. Each lane is a session of its own, as
 * the transport has it. A call ends when both its post and its answer are in. The same checks and limits as in `load-lane.ts`.
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

  async function open(): Promise<string | undefined> {
    try {
      link = await openLink(target, limitMs, heard, ended)
      return undefined
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown)
    }
  }

  return {
    open,
    /** One call. Resolves to undefined, or to what was wrong with it. */
    async call(): Promise<string | undefined> {
      const refused = link === undefined ? await open() : undefined
      if (link === undefined) return refused ?? 'the stream was closed'
      id = nextId()
      const answered = new Promise<string | undefined>((resolve) => (settle = resolve))
      const notTaken = await link.call(id)
      // The session cannot be used any more: the next call opens another.
      if (notTaken !== undefined) ended(notTaken)
      return answered
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
  const { url, close } = await openStream(
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
  const refused = await posts.send(plain(opening.initialize))
  const closeBoth = () => {
    posts.close()
    close()
  }
  if (refused !== undefined) {
    closeBoth()
    throw new Error(`initialize: ${refused}`)
  }
  await opened.promise
  await posts.send(plain(opening.initialized))
  listener = heard
  return { call: (id: number) => posts.send(calls(id)), close: closeBoth }
}

/** Resolves once the server named the address for messages; rejects when it does not. */
function openStream(from: string, limitMs: number, heard: Heard, ended: Ended) {
  return new Promise<{ url: URL; close: () => void }>((resolve, reject) => {
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
    const request = get(from, { agent: false, headers: { accept: 'text/event-stream' } }, (response) => {
      if (response.statusCode !== 200) return void request.destroy(new Error(`status ${response.statusCode}`))
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const events = (text + chunk).split(/\r?\n\r?\n/)
        text = events.pop() ?? ''
        for (const { name, data } of events.map(readEvent)) {
          if (name === 'endpoint') resolve({ url: new URL(data, from), close })
          else if (data !== '') heard(data)
        }
      })
      response.on('error', (error) => fail(error.message)).on('end', () => fail('the stream was closed'))
    })
    request.setTimeout(limitMs, () => request.destroy(new Error(`no event within ${limitMs} ms`)))
    request.on('error', (error) => fail(error.message))
  })
}

/** A connection for messages, one at a time. */
function createPosts({ hostname, port }: URL, limitMs: number) {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let received = ''
  let settle: ((fault: string | undefined) => void) | undefined
  function end(fault: string | undefined): void {
    const settled = settle
    settle = undefined
    settled?.(fault)
  }
  function receive(chunk: Buffer): void {
    received += chunk.toString('latin1')
    const reply = readReply(received)
    if (reply === undefined) return
    received = received.slice(reply.length)
    end(reply.status === 202 ? undefined : `status ${reply.status}: ${reply.body.slice(0, 200)}`)
  }
  socket.setTimeout(limitMs, () => socket.destroy(new Error(`no answer within ${limitMs} ms`)))
  socket.on('data', (chunk) => {
    try {
      receive(chunk)
    } catch (thrown) {
      socket.destroy()
      end(String(thrown))
    }
  })
  socket.on('error', (error) => end(error.message)).on('close', () => end('the connection was closed'))
  return {
    /** Resolves to undefined when it was accepted, or to what was wrong. */
    send(text: string): Promise<string | undefined> {
      return new Promise((resolve) => {
        settle = resolve
        if (socket.destroyed) end('the connection was closed')
        else socket.write(text, 'latin1')
      })
    },
    close: () => void socket.destroy(),
  }
}
