/**
 * One HTTP exchange with the gateway, over connections that are kept: what goes out, what comes back, and, when it fails,
 * whether anything had been written by then. Only what was never written may be sent again by whoever asks.
 *
 * It knows no MCP and sets no time limit of its own on an answer: a tool may take as long as its client waits.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'

export interface Outgoing {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  readonly signal?: AbortSignal
  /** Milliseconds without a byte after which the exchange counts as broken; unlimited if unsaid. */
  readonly silence?: number
  /** The body is with the operating system. */
  onSent?(): void
}

export interface Incoming {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Has to be read to its end or destroyed. */
  readonly body: IncomingMessage
}

export interface Wire {
  /** Resolves when the head of the answer is there. Rejects with Unsent, Lost, or the signal's AbortError. */
  send(outgoing: Outgoing): Promise<Incoming>
  close(): void
}

/** Nothing was written: the same request may be sent again. */
export class Unsent extends Error {
  /** The cause, in terms that a user can act on: `nothing is listening there`. */
  readonly problem: string
  /** It will not be otherwise in a moment. */
  readonly lasting: boolean
  constructor(problem: string, lasting: boolean, cause: unknown) {
    super(problem, { cause })
    this.problem = problem
    this.lasting = lasting
  }
}

/** The connection broke when the request may have arrived. */
export class Lost extends Error {}

export interface WireParts {
  readonly url: URL
  readonly key: string | undefined
  readonly version: string
  /** HTTPS_PROXY and its like, as Node reads them where it can (24.5 and later). */
  readonly proxies: Readonly<Record<string, string>> | undefined
  /** Milliseconds that a connection may take to be made. */
  readonly patience?: number
}

const CONNECT_PATIENCE = 10_000

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there',
  ECONNRESET: 'it closes connections',
  EPIPE: 'it closes connections',
  ENOTFOUND: 'its name does not resolve',
  EAI_AGAIN: 'its name cannot be resolved at the moment',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  ETIMEDOUT: 'it does not accept connections',
}

/** No second attempt changes what a certificate says. */
const LASTING: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is self-signed; to trust it, set NODE_EXTRA_CA_CERTS to a file that contains it',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is from an unknown issuer; to trust it, set NODE_EXTRA_CA_CERTS to a file that contains it',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is from an unknown issuer; to trust it, set NODE_EXTRA_CA_CERTS to a file that contains it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate cannot be verified; to trust it, set NODE_EXTRA_CA_CERTS to a file that contains it',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  EPROTO: 'it does not use TLS on this port; try an http:// address',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS on this port; try an http:// address',
}

/** TLS is loaded where it is spoken: it is a good part of the time that a start takes. */
export async function createWire(parts: WireParts): Promise<Wire> {
  const { url, key, version, proxies, patience = CONNECT_PATIENCE } = parts
  const secure = url.protocol === 'https:'
  const { Agent, request: open } = await (secure ? import('node:https') : import('node:http'))
  const options = { keepAlive: true, ...(proxies === undefined ? {} : { proxyEnv: proxies }) }
  const agent = new Agent(options)
  const own = {
    'user-agent': `toolway-bridge/${version}`,
    accept: 'application/json, text/event-stream',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }

  async function send({ method, headers, body, signal, silence, onSent }: Outgoing): Promise<Incoming> {
    // A kept connection that the gateway has closed by now is told in this turn of the event loop: it is not written to.
    await setImmediate()
    return new Promise((resolve, reject) => {
      let connected = false
      const all = { ...own, ...(body === undefined ? {} : lengthOf(body)), ...headers }
      const request = open(url, { agent, method, headers: all, ...(signal === undefined ? {} : { signal }) })
      const limit = setTimeout(() => request.destroy(new Slow()), patience)
      const onConnected = () => {
        connected = true
        clearTimeout(limit)
      }
      if (silence !== undefined) request.setTimeout(silence, () => request.destroy(new Lost('it does not respond')))
      request.once('socket', (socket) => {
        if (!socket.connecting) onConnected()
        else socket.once(secure ? 'secureConnect' : 'connect', onConnected)
      })
      request.once('error', (error) => {
        clearTimeout(limit)
        reject(signal?.aborted === true ? error : connected ? new Lost('lost', { cause: error }) : unsentOf(error))
      })
      request.once('close', () => clearTimeout(limit))
      request.once('response', (message) => {
        // An error that comes once the body is being read is told to its reader.
        request.on('error', () => {})
        resolve({ status: message.statusCode ?? 0, headers: message.headers, body: message })
      })
      request.end(body, onSent)
    })
  }

  return { send, close: () => agent.destroy() }
}

class Slow extends Error {
  readonly code = 'ETIMEDOUT'
}

const lengthOf = (body: Buffer | string) => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(body)),
})

function unsentOf(error: Error): Unsent {
  // A name that leads to several addresses fails with all of them.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : ''
  const lasting = LASTING[code]
  return new Unsent(lasting ?? PROBLEMS[code] ?? (code === '' ? error.message : code), lasting !== undefined, error)
}
