/** Requests that the gateway makes to a server for itself, and not for a client. */
import { APPS, APPS_SETTINGS, type Caller, type JsonObject, type Revision } from '@toolway/protocol'
import { GATEWAY, type Answer, type Ask } from './upstream.ts'

const METHOD_NOT_FOUND = -32601

const noAnswer = (): Promise<Answer> =>
  Promise.resolve({ error: { code: METHOD_NOT_FOUND, message: 'There is no user to ask.' } })

/** An ask of the gateway itself: it can answer nothing and wants to hear nothing, but is shown what apps a server has. */
export const ownAsk = (method: string, params: JsonObject, revision: Revision, signal: AbortSignal): Ask => ({
  method,
  params,
  caller: ownCaller(revision),
  session: undefined,
  owner: GATEWAY,
  headerParameters: [],
  signal,
  onNotification() {},
  onQuestion: noAnswer,
})

const ownCaller = (revision: Revision): Caller => ({
  revision,
  capabilities: { extensions: { [APPS]: APPS_SETTINGS } },
  client: { name: 'toolway', version: '0.1.0' },
  logLevel: undefined,
})
