/**
 * Probes a server's authentication: the answer to a request without credentials, or with given headers only. It uses a connection
 * of its own, closed after the answer, so nothing is shared with a call.
 */
import { Fault, kindOf, type Revision } from '@toolway/contract'
import { isObject, MODERN } from '@toolway/protocol'
import { fetchCapabilities, type CapabilitiesSnapshot } from '../../../upstreams/capabilities/fetch-capabilities.ts'
import { ownAsk } from '../../../upstreams/gateway-request.ts'
import { createHttpUpstream } from '../../../upstreams/http/http-upstream.ts'
import { mayBePrivate } from '../../../upstreams/http/permits.ts'
import type { Answer } from '../../../upstreams/upstream.ts'
import { createUpstreams } from '../../../upstreams/upstreams.ts'
import type { Egress } from '../ports.ts'
import type { Target } from './target.ts'

/** Seconds that a person in front of a page waits for it. */
const PATIENCE_SECONDS = 20
/** The same for whose account it is: nothing depends on that. */
const NAME_PATIENCE = 5

/** The answer of a server to headers: the fault, if it refuses them, or the name of the account, if it tells that. */
export interface Tried {
  readonly refused: Fault | undefined
  readonly name: string | undefined
}
const LET_IN: Tried = { refused: undefined, name: undefined }
const refusedBy = (thrown: unknown): Tried => ({ refused: Fault.of(thrown), name: undefined })

/** The fault, if it does not let them in. */
export const probeAuth = async (
  target: Target,
  headers: Readonly<Record<string, string>>,
): Promise<Fault | undefined> => (await tryAuth(target, headers)).refused

/** A server that is no MCP server is asked where its connection knows a request for that. */
export async function tryAuth(
  target: Target,
  headers: Readonly<Record<string, string>>,
  patience = PATIENCE_SECONDS,
): Promise<Tried> {
  const { url, egress, connection, snapshot } = target
  if (url === undefined || connection === undefined) return LET_IN
  if (kindOf(connection.settings.connector)?.triesCredentials === true) {
    const ask = ownAsk('ping', {}, MODERN, AbortSignal.timeout(patience * 1000))
    const pinged = snapshot
      .upstream(connection.id)
      .ask({ ...ask, credential: { id: 'tried', headers: lowerCased(headers) } })
    return pinged.then((answer) => ({ refused: undefined, name: nameIn(answer) }), refusedBy)
  }
  const { revision } = connection.settings
  const pin = revision === 'auto' ? undefined : revision
  const authProbe = { egress, pin, headers: { ...lowerCased(target.headers), ...headers }, patience }
  return probeAuthAt(url, authProbe).then(() => LET_IN, refusedBy)
}

/**
 * The name of the account that a vendor lets in with a token, where the connection knows a request for that; undefined where it does not, or the vendor
 * does not tell it in time. Never throws.
 */
export async function nameAt(target: Target, token: string): Promise<string | undefined> {
  const { connection } = target
  if (connection === undefined || kindOf(connection.settings.connector)?.triesCredentials !== true) return undefined
  const tried = await tryAuth(target, { authorization: `Bearer ${token}` }, NAME_PATIENCE).catch(refusedBy)
  return tried.name
}

const MOST_NAME = 255
/** How vendors call what a person knows an account by, the best first. */
const NAMES = ['email', 'emailAddress', 'login', 'username', 'display_name', 'displayName', 'user', 'name']

/** Of a list, or of words that are none, nothing: then the account has its label only. */
function nameIn(answer: Answer): string | undefined {
  const account = 'result' in answer ? answer.result['account'] : undefined
  if (!isObject(account)) return undefined
  return NAMES.map((member) => account[member]).find(
    (name): name is string =>
      typeof name === 'string' && name !== '' && name.length <= MOST_NAME && !name.includes('\0'),
  )
}

export interface AuthProbe {
  readonly egress: Egress
  readonly headers: Readonly<Record<string, string>>
  /** The revision that it is taken to speak; undefined: it is found out. */
  readonly pin: Revision | undefined
  /** Seconds. */
  readonly patience: number
  readonly signal?: AbortSignal
}

/** The same at an address that nothing is kept of. Its offer; throws the fault if it does not let them in. */
export async function probeAuthAt(url: string, authProbe: AuthProbe): Promise<CapabilitiesSnapshot> {
  const { egress, headers, pin, patience, signal } = authProbe
  const { alias, privateOrigins, exceptions } = egress
  const upstreams = createUpstreams({
    children: { start: () => Promise.reject(new Error('nothing is started for a knock')) },
    pools: false,
    onRevision() {},
    onNoise() {},
  })
  try {
    const isPrivate = mayBePrivate(privateOrigins, new URL(url))
    const wire = { url, private: isPrivate, ...(exceptions === undefined ? {} : { exceptions }), headers }
    const reach = { connectionId: 'knock', alias, timeout: patience, revision: pin, pinned: pin !== undefined, wire }
    const upstream = upstreams.open('knock', '1', alias, (context) => createHttpUpstream({ ...context, reach }))
    const deadline = AbortSignal.timeout(patience * 1000)
    return await fetchCapabilities(
      upstream,
      alias,
      signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    )
  } catch (thrown) {
    throw Fault.of(thrown)
  } finally {
    await upstreams.close()
  }
}

const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
