/**
 * A session of the revisions that open one (up to 2025-11-25): opened when it is first needed, opened again when the gateway knows it
 * no more, ended when nobody looks any longer. Leaving is no cancel there, so that cancelling is said.
 */
import { NEWEST_LEGACY, type JsonObject as Params } from '@toolway/protocol'
import {
  InitializeRefused,
  NOBODY,
  openLegacySession,
  SessionLost,
  type Answer,
  type CredentialHeaders,
  type LegacySession as Session,
} from '@toolway/protocol/client'
import {
  answerTo,
  hearNotification,
  NEVER,
  nextId,
  resultOf,
  RpcFailure,
  wordFault,
  type Asking,
  type EventSink,
  type McpClient,
} from './exchange.ts'
import { transportTo } from './transport.ts'
import { isObject, type JsonObject } from './wire.ts'

/** Pages have to be opened first. */
const URL_FIRST = -32042
const MOST_ROUNDS = 3

export interface LegacySession {
  readonly request: McpClient['request']
  readonly close: () => void
}

export function legacySession(address: string, capabilities: JsonObject, client: JsonObject): LegacySession {
  let opening: Promise<Session> | undefined
  /** The session chooses its transport by the credential of a request; the console's only names whose event sink hear it. */
  const eventSink = new WeakMap<CredentialHeaders, EventSink>()
  const heardBy = (whose: EventSink): CredentialHeaders => {
    const credential = { id: '', headers: {} }
    eventSink.set(credential, whose)
    return credential
  }
  const transportFor = (credential: CredentialHeaders | undefined) =>
    transportTo(address, (credential && eventSink.get(credential)) ?? {})

  const open = (asking: Asking): Promise<Session> =>
    openLegacySession(transportFor, nextId, {
      revision: NEWEST_LEGACY,
      capabilities: capabilities as Params,
      client: client as Params,
      // All log messages of the server are wanted.
      logLevel: 'debug',
      signal: NEVER,
      credential: heardBy(asking.eventSink ?? {}),
      onListChanged: () => undefined,
    }).catch((thrown: unknown) => {
      throw thrown instanceof InitializeRefused ? thrown.cause : thrown
    })

  async function once(method: string, params: JsonObject, asking: Asking): Promise<JsonObject> {
    const { eventSink: own = {}, signal = NEVER } = asking
    opening ??= open(asking)
    const session = await opening.catch((thrown: unknown) => {
      opening = undefined
      return wordFault(thrown)
    })
    const answer = await session
      .ask({
        method,
        params: {
          ...params,
          _meta: { ...(isObject(params['_meta']) ? params['_meta'] : {}), progressToken: 'console' },
        },
        caller: NOBODY,
        session: SELF,
        signal,
        patient: true,
        credential: heardBy(own),
        onNotification: (notification) => hearNotification(notification, own),
        onQuestion: async (question): Promise<Answer> => {
          if (question.method === 'ping') return { result: {} }
          const { params: value = {} } = question
          return { result: (await answerTo({ method: question.method, params: value }, own, signal)) as Params }
        },
      })
      .catch(wordFault)
    return resultOf(answer)
  }

  return {
    async request(method, params, asking = {}) {
      for (let round = 0; ; round++) {
        try {
          return await once(method, params, asking)
        } catch (thrown) {
          // Nothing was done: the gateway knows the session no more, or pages have to be opened first.
          if (round < MOST_ROUNDS && isUnknownSession(thrown)) opening = undefined
          else if (round >= MOST_ROUNDS || !(await openFirst(thrown, asking))) throw thrown
        }
      }
    },
    close: () =>
      void opening?.then(
        (session) => session.close(),
        () => undefined,
      ),
  }
}

/** Whether its person agreed to open what the error of 2025-11-25 names, so that the call is worth another try. */
async function openFirst(thrown: unknown, { eventSink = {}, signal = NEVER }: Asking): Promise<boolean> {
  if (!(thrown instanceof RpcFailure) || thrown.error.code !== URL_FIRST || !isObject(thrown.error.data)) return false
  const { elicitations } = thrown.error.data
  if (!Array.isArray(elicitations) || elicitations.length === 0) return false
  for (const page of (elicitations as readonly unknown[]).filter(isObject)) {
    const params = { ...page, mode: 'url' }
    const { action } = await answerTo({ method: 'elicitation/create', params }, eventSink, signal)
    if (action !== 'accept') return false
  }
  return true
}

/** The session is the page's own, with the log level that was set in it. */
const SELF = {}

const isUnknownSession = (thrown: unknown): boolean =>
  thrown instanceof SessionLost ||
  (thrown instanceof RpcFailure && isObject(thrown.error.data) && thrown.error.data['fault'] === 'session.unknown')
