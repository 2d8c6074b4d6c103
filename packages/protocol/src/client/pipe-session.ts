/**
 * One session with a legacy server over a pipe of its own: the pipe is the session, and ends with it.
 *
 * Server messages that name no request belong to the owner: a question or a log line goes to the one request under way, a change
 * to the session's listeners. Requests under way when the pipe broke are lost and never sent again; later requests were not sent
 * at all, and fail with `SessionLost`, so that they may go to another session.
 */
import { Fault } from '@toolway/contract'
import { isObject } from '../json.ts'
import type { Message, Notification, Request } from '../message.ts'
import { lost } from './answer.ts'
import { callOn } from './channel-call.ts'
import { createChannel, type Channel } from './channel.ts'
import { initialize } from './greeting.ts'
import type { LegacySession, OpenOptions } from './legacy-session.ts'
import { createLogLevel } from './log-level.ts'
import type { OpenPipe, Pipe } from './pipe.ts'
import {
  REPEATABLE,
  type Answer,
  type CallObserver,
  type CredentialHeaders,
  type ServerInfo,
  type SessionRequest,
} from './request.ts'
import { lossSignIn, lossSignOfError, SessionLost, type LossSign, type SessionDoubt } from './session-loss.ts'

export interface PipeSessionParts {
  readonly alias: string
  readonly ids: () => number
  /** Seconds for one request. */
  readonly timeout: number
  readonly open: OpenPipe
  /** The pipe is open: what later messages carry may depend on the revision. */
  onServerInfo?(serverInfo: ServerInfo): void
  /** An ask brings its credential as it is by now: what is sent from then on goes out with that. */
  onCredential?(credential: CredentialHeaders): void
  mask(text: string): string
  hide?: ((text: string) => string) | undefined
  /** Told how each request ended. */
  readonly observer: CallObserver
}

const LEVEL_PATIENCE_MS = 1_000
/** Seconds. */
const LOOK_PATIENCE_SECONDS = 5
const NEVER = new AbortController().signal

/** The notifications that a session's listeners never receive: both name requests that are not theirs. */
const NAMED = new Set(['notifications/cancelled', 'notifications/progress'])

export async function openPipeSession(parts: PipeSessionParts, options: OpenOptions): Promise<LegacySession> {
  const session = createSession(parts, options)
  const pipe = await session.open()
  try {
    const serverInfo = await session.greet()
    return {
      serverInfo,
      attributes: true,
      ask: (request) => session.ask(request),
      present: (credential) => parts.onCredential?.(credential),
      probe: (signal) => session.probe(signal),
      stream: (onMessage, signal, onOpen) => session.stream(onMessage, signal, onOpen),
      tell: (message) => pipe.send(JSON.stringify(message)),
      close: () => Promise.resolve(pipe.close()),
    }
  } catch (thrown) {
    pipe.close()
    throw thrown
  }
}

/** In place of a pipe, until there is one. */
const UNOPENED: Pipe = { send: () => Promise.reject(new SessionLost()), quiet: () => 0, close() {} }

interface Session extends Pick<LegacySession, 'ask' | 'probe' | 'stream'> {
  open(): Promise<Pipe>
  greet(): Promise<ServerInfo>
}

const createSession = (parts: PipeSessionParts, options: OpenOptions): Session => new PipeSession(parts, options)

class PipeSession implements Session {
  readonly #options: OpenOptions
  readonly #parts: PipeSessionParts
  readonly #alias
  readonly #ids
  readonly #timeout
  readonly #observer
  #pipe: Pipe = UNOPENED
  readonly #listeners = new Set<(message: Message) => void>()
  readonly #over = Promise.withResolvers<void>()
  #isOver = false
  #doubt: Promise<void> | undefined
  readonly #channel: Channel
  #logs = false
  readonly #level

  constructor(parts: PipeSessionParts, options: OpenOptions) {
    this.#parts = parts
    this.#options = options
    this.#alias = parts.alias
    this.#ids = parts.ids
    this.#timeout = parts.timeout
    this.#observer = parts.observer
    this.#channel = createChannel({
      alias: this.#alias,
      owned: true,
      mask: this.#parts.mask,
      hide: this.#parts.hide,
      send: (text) => this.#pipe.send(text),
      onNotification: (notification: Notification) => {
        if (!NAMED.has(notification.method)) for (const onMessage of this.#listeners) onMessage(notification)
      },
      onNoise() {},
    })
    this.#level = createLogLevel(undefined, (requested) => {
      const signal = AbortSignal.timeout(LEVEL_PATIENCE_MS)
      return this.#channel.call({
        id: this.#ids(),
        method: 'logging/setLevel',
        params: { level: requested },
        timeout: this.#timeout,
        signal,
      })
    })
  }

  readonly #end = (fault: Fault): void => {
    this.#isOver = true
    this.#channel.end(fault.code === 'result.too-large' && this.#channel.size > 1 ? lost(this.#alias) : fault)
    this.#over.resolve()
  }

  async open(): Promise<Pipe> {
    const { turn } = this.#observer
    this.#pipe = await this.#parts
      .open({ onText: (text) => this.#channel.receive(text), onEnd: this.#end }, this.#options.signal)
      .catch((thrown: unknown) => this.#refuse(turn, thrown))
    return this.#pipe
  }

  #refuse(turn: number, thrown: unknown): never {
    this.#observer.failed(turn, thrown)
    throw thrown
  }

  async greet(): Promise<ServerInfo> {
    const { revision, capabilities, signal } = this.#options
    const { turn } = this.#observer
    const serverInfo = await initialize(
      this.#channel,
      { alias: this.#alias, id: this.#ids(), signal, timeout: this.#timeout },
      { revision, capabilities },
    ).catch((thrown: unknown) => this.#refuse(turn, thrown))
    this.#observer.answered(turn)
    this.#parts.onServerInfo?.(serverInfo)
    this.#logs = isObject(serverInfo.capabilities['logging'])
    if (this.#logs) await this.#level.ensure(this.#options.logLevel)
    return serverInfo
  }

  async ask(request: SessionRequest): Promise<Answer> {
    if (this.#doubt !== undefined) await this.#doubt
    if (this.#isOver) throw new SessionLost()
    if (request.credential !== undefined) this.#parts.onCredential?.(request.credential)
    // A client's own session has the level that the client set; in a principal's, each request says what it wants.
    if (this.#logs && request.session === undefined) await this.#level.ensure(request.caller.logLevel)
    const began = performance.now()
    const { turn } = this.#observer
    try {
      const about = ABOUT_SESSION.has(request.method) ? undefined : (question: Request) => request.onQuestion(question)
      const answer = await callOn(this.#channel, this.#ids(), request, {
        era: 'legacy',
        timeout: this.#timeout,
        onQuestion: about,
      })
      this.#observer.answered(turn)
      if ('error' in answer) await this.#suspect(request, lossSignOfError(answer.error), { answer })
      return answer
    } catch (thrown) {
      if (thrown instanceof SessionLost && thrown.doubt !== undefined) throw thrown
      this.#observer.failed(turn, thrown)
      await this.#suspect(request, lossSignIn(thrown), { thrown })
      const isLate = thrown instanceof Fault && thrown.code === 'upstream.timeout'
      const isUnknown = thrown instanceof SessionLost
      const mayRepeat = !isUnknown || REPEATABLE.has(request.method) || (await this.#isGone())
      if (isUnknown) this.#pipe.close()
      else if (isLate && this.#pipe.quiet() >= performance.now() - began) this.#look()
      throw mayRepeat ? thrown : lost(this.#alias, thrown)
    }
  }

  /** Throws `SessionLost` where a ping fails in the same way. A refused credential says nothing: the open pipe is the session. */
  async #suspect(request: SessionRequest, sign: LossSign | undefined, outcome: SessionDoubt['outcome']): Promise<void> {
    if (this.#options.doubts !== true || sign === undefined || sign.status === 401) return
    const isSame = request.method === 'ping' || (await this.probe(request.signal)) === sign.key
    if (isSame) throw new SessionLost({ sign: sign.key, mayHaveRun: !sign.refuses, outcome })
  }

  async probe(signal: AbortSignal): Promise<string> {
    const timeout = Math.min(this.#timeout, LOOK_PATIENCE_SECONDS)
    const sign = await this.#channel
      .call({ id: this.#ids(), method: 'ping', params: {}, signal, timeout })
      .then((answer) => ('error' in answer ? lossSignOfError(answer.error) : undefined), lossSignIn)
    return sign?.key ?? ''
  }

  /**
   * Probes the server with a ping, when a call is late and nothing was received since it was sent. Later requests wait for the
   * result.
   */
  #look(): void {
    const ping = {
      id: this.#ids(),
      method: 'ping',
      params: {},
      signal: NEVER,
      timeout: Math.min(this.#timeout, LOOK_PATIENCE_SECONDS),
    }
    this.#doubt ??= this.#channel
      .call(ping)
      .then(
        () => {},
        () => this.#pipe.close(),
      )
      .finally(() => (this.#doubt = undefined))
  }

  /** A server may say "not found" of what a call wanted, after it acted; of a ping it says so only when the session is gone. */
  async #isGone(): Promise<boolean> {
    const ping = JSON.stringify({ jsonrpc: '2.0', id: this.#ids(), method: 'ping' })
    return this.#pipe.send(ping).then(
      () => false,
      (thrown: unknown) => thrown instanceof SessionLost,
    )
  }

  async stream(onMessage: (message: Message) => void, signal: AbortSignal, onOpen?: () => void): Promise<boolean> {
    if (this.#isOver) throw new SessionLost()
    this.#listeners.add(onMessage)
    onOpen?.()
    const left = Promise.withResolvers<void>()
    const leaveSession = () => left.resolve()
    signal.addEventListener('abort', leaveSession, { once: true })
    if (signal.aborted) leaveSession()
    await Promise.race([left.promise, this.#over.promise])
    signal.removeEventListener('abort', leaveSession)
    this.#listeners.delete(onMessage)
    if (this.#isOver) throw new SessionLost()
    return true
  }
}

/** Methods about the session itself: a server's question is never about them. */
const ABOUT_SESSION = new Set(['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])
