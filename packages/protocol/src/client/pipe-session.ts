/**
 * One session with a legacy server over a pipe of its own: the pipe is the session, and ends with it.
 *
 * Server messages that name no request belong to the owner: a question or a log line goes to the one request under way, a change
 * to the session's listeners. Requests under way when the pipe broke are lost and never sent again; later requests were not sent
 * at all, and fail with `SessionLost`, so that they may go to another session.
 */
import { Fault } from '@toolway/contract'
import { isObject, type JsonObject } from '../json.ts'
import type { Message, Notification, Request } from '../message.ts'
import { lost } from './answer.ts'
import { callOn } from './channel-call.ts'
import { createChannel, type Channel } from './channel.ts'
import { initialize } from './greeting.ts'
import { SessionLost, type LegacySession, type OpenOptions } from './legacy-session.ts'
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
  /** Told how each request ended. */
  readonly observer: CallObserver
}

const LEVEL_PATIENCE = 1_000
/** Seconds. */
const LOOK_PATIENCE = 5
const NEVER = new AbortController().signal

/** The notifications that a session's listeners never receive: both name requests that are not theirs. */
const NAMED = new Set(['notifications/cancelled', 'notifications/progress'])

export async function openPipeSession(parts: PipeSessionParts, options: OpenOptions): Promise<LegacySession> {
  const { alias, ids, timeout, mask, observer } = parts
  const listeners = new Set<(message: Message) => void>()
  const over = Promise.withResolvers<void>()
  let isOver = false
  let doubt: Promise<void> | undefined
  const channel: Channel = createChannel({
    alias,
    owned: true,
    mask,
    send: (text) => pipe.send(text),
    onNotification: (notification: Notification) => {
      if (!NAMED.has(notification.method)) for (const onMessage of listeners) onMessage(notification)
    },
    onNoise() {},
  })
  function end(fault: Fault): void {
    isOver = true
    channel.end(fault.code === 'result.too-large' && channel.size > 1 ? lost(alias) : fault)
    over.resolve()
  }
  const opening = observer.turn
  const pipe: Pipe = await parts
    .open({ onText: channel.receive, onEnd: end }, options.signal)
    .catch((thrown: unknown) => refuse(opening, thrown))

  function refuse(turn: number, thrown: unknown): never {
    observer.failed(turn, thrown)
    throw thrown
  }

  let logs = false
  const level = createLogLevel(undefined, (wanted) => {
    const signal = AbortSignal.timeout(LEVEL_PATIENCE)
    return channel.call({ id: ids(), method: 'logging/setLevel', params: { level: wanted }, timeout, signal })
  })

  async function greet(): Promise<ServerInfo> {
    const { revision, capabilities, signal } = options
    const { turn } = observer
    const serverInfo = await initialize(
      channel,
      { alias, id: ids(), signal, timeout },
      { revision, capabilities },
    ).catch((thrown: unknown) => refuse(turn, thrown))
    observer.answered(turn)
    parts.onServerInfo?.(serverInfo)
    logs = isObject(serverInfo.capabilities['logging'])
    if (logs) await level.ensure(options.logLevel)
    return serverInfo
  }

  async function ask(asked: SessionRequest): Promise<Answer> {
    if (doubt !== undefined) await doubt
    if (isOver) throw new SessionLost()
    if (asked.credential !== undefined) parts.onCredential?.(asked.credential)
    // A client's own session has the level that the client set; in a principal's, each request says what it wants.
    if (logs && asked.session === undefined) await level.ensure(asked.caller.logLevel)
    const began = performance.now()
    const { turn } = observer
    try {
      const about = ABOUT_SESSION.has(asked.method) ? undefined : (question: Request) => asked.onQuestion(question)
      const answer = await callOn(channel, ids(), asked, { era: 'legacy', timeout, onQuestion: about })
      observer.answered(turn)
      return answer
    } catch (thrown) {
      observer.failed(turn, thrown)
      const isLate = thrown instanceof Fault && thrown.code === 'upstream.timeout'
      const isUnknown = thrown instanceof SessionLost
      const mayRepeat = !isUnknown || REPEATABLE.has(asked.method) || (await isGone())
      if (isUnknown) pipe.close()
      else if (isLate && pipe.quiet() >= performance.now() - began) look()
      throw mayRepeat ? thrown : lost(alias, thrown)
    }
  }

  /**
   * Probes the server with a ping, when a call is late and nothing was received since it was sent. Later requests wait for the
   * result.
   */
  function look(): void {
    const ping = { id: ids(), method: 'ping', params: {}, signal: NEVER, timeout: Math.min(timeout, LOOK_PATIENCE) }
    doubt ??= channel
      .call(ping)
      .then(
        () => {},
        () => pipe.close(),
      )
      .finally(() => (doubt = undefined))
  }

  /** A server may say "not found" of what a call wanted, after it acted; of a ping it says so only when the session is gone. */
  async function isGone(): Promise<boolean> {
    const ping = JSON.stringify({ jsonrpc: '2.0', id: ids(), method: 'ping' })
    return pipe.send(ping).then(
      () => false,
      (thrown: unknown) => thrown instanceof SessionLost,
    )
  }

  async function stream(
    onMessage: (message: Message) => void,
    signal: AbortSignal,
    onOpen?: () => void,
  ): Promise<boolean> {
    if (isOver) throw new SessionLost()
    listeners.add(onMessage)
    onOpen?.()
    const left = Promise.withResolvers<void>()
    const leave = () => left.resolve()
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    await Promise.race([left.promise, over.promise])
    signal.removeEventListener('abort', leave)
    listeners.delete(onMessage)
    if (isOver) throw new SessionLost()
    return true
  }

  try {
    const serverInfo = await greet()
    const close = () => Promise.resolve(pipe.close())
    const tell = (message: JsonObject) => pipe.send(JSON.stringify(message))
    const present = (credential: CredentialHeaders) => parts.onCredential?.(credential)
    return { serverInfo, attributes: true, ask, present, stream, tell, close }
  } catch (thrown) {
    pipe.close()
    throw thrown
  }
}

/** Methods about the session itself: a server's question is never about them. */
const ABOUT_SESSION = new Set(['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])
