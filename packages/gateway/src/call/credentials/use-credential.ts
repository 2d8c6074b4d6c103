/**
 * The credential of one call: opened before its server is asked, and exchanged once where the server refuses it.
 *
 * Which one it is, whose, and how it is renewed is the kept credentials' matter (`ports.ts`, `CallCredentials`). A fault that says
 * what a person has to do goes up as it is: whoever worded the call offers its client a way (`call/questions/`).
 */
import { Fault } from '@toolway/contract'
import { metaOf, type JsonObject } from '@toolway/protocol'
import type { Target } from '../../catalog/tool-listing.ts'
import type { AccessRefused } from '../../upstreams/access-refused.ts'
import type { Ask, CredentialSource, Answer } from '../../upstreams/upstream.ts'
import type { CallCredentials, CredentialAsking, OpenCredential } from '../../snapshot/ports/credentials.ts'
import type { CallParts } from '../call-parts.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { AuditEntryBuilder } from '../audit-entry.ts'
import type { ActingAccount, Noted } from '../audit-facts.ts'

/** The part of a request that its credential and its repeats depend on. */
export interface ConnectRequest {
  readonly parts: Pick<CallParts, 'credentials' | 'places'>
  readonly requestContext: RequestContext
  readonly channel: Pick<ClientChannel, 'signal' | 'passThroughToken'>
  readonly audit: AuditEntryBuilder
  readonly target: Target
  /** The account that the caller named. */
  readonly account?: string | undefined
}

/** An ask that is given its credential, and its place in a trace, when it leaves. */
export interface Asking extends Omit<Ask, 'credential' | 'params'> {
  credential?: OpenCredential | undefined
  params: JsonObject
}

/** The credential that is meant; a pass-through token serves only the request that it came with. */
const askingOf = (
  {
    requestContext,
    target,
    account,
  }: Pick<ConnectRequest, 'requestContext' | 'account'> & { target: Pick<Target, 'connectionId'> },
  received?: string,
): CredentialAsking => ({
  organizationId: requestContext.organizationId,
  connectionId: target.connectionId,
  principal: requestContext.principal,
  account,
  passThroughToken: received,
})

/**
 * The credential of a request; undefined where the server wants none. A promise only where the credential is not in memory yet.
 */
export function openCredential(
  connectRequest: ConnectRequest,
): OpenCredential | undefined | Promise<OpenCredential | undefined> {
  const { parts, channel, target } = connectRequest
  if (parts.credentials === undefined) return undefined
  const opening = openFor(parts.credentials, askingOf(connectRequest, channel.passThroughToken), target)
  return opening instanceof Promise
    ? opening.then((opened) => noted(connectRequest, opened))
    : noted(connectRequest, opening)
}

/** A read may use any of several accounts; for a write the account is never guessed. */
function openFor(credentials: CallCredentials, asking: CredentialAsking, { effect = 'read' }: Pick<Target, 'effect'>) {
  const openFirst = (thrown: unknown) => {
    const isAmbiguous = thrown instanceof Fault && thrown.code === 'credential.ambiguous'
    const [account] = isAmbiguous && effect === 'read' ? credentials.accounts(asking) : []
    if (account === undefined) throw thrown
    return credentials.open({ ...asking, account })
  }
  try {
    const opening = credentials.open(asking)
    return opening instanceof Promise ? opening.catch(openFirst) : opening
  } catch (thrown) {
    return openFirst(thrown)
  }
}

function noted({ audit }: ConnectRequest, opened: OpenCredential | undefined): OpenCredential | undefined {
  if (opened !== undefined) audit.note({ account: actingOf(opened) })
  return opened
}

const actingOf = ({ account, owner, name }: OpenCredential): ActingAccount =>
  name === undefined ? { account, owner } : { account, owner, name }

const SCHEME = /(?:^|,)\s*bearer(?:\s|$)/i
const STEP_UP = /\berror\s*=\s*"?insufficient_scope\b/i

/**
 * The server refused the ask: what it may be asked with once more. A challenge says that it did not look at the request, which then
 * may be repeated whatever it does; without one only what `repeats` may. Throws `credential.needed`, or the refusal.
 */
export async function renewCredential(
  connectRequest: ConnectRequest,
  used: OpenCredential | undefined,
  { refusal, said, repeats }: { refusal: unknown; said: AccessRefused; repeats: boolean },
): Promise<OpenCredential> {
  const { credentials } = connectRequest.parts
  const { status, challenge } = said
  const needsMore = status === 403 && STEP_UP.test(challenge ?? '')
  if (credentials === undefined || (status === 403 && !needsMore)) throw refusal
  const safe = repeats || SCHEME.test(challenge ?? '')
  // A person may be asked for another account meanwhile, and then it would be sent again.
  if (!safe) connectRequest.audit.note({ mayHaveActed: true })
  const newer = await credentials.refused(
    askingOf(connectRequest, connectRequest.channel.passThroughToken),
    used,
    challenge,
    status,
  )
  if (needsMore || !safe) throw refusal
  noted(connectRequest, newer)
  return newer
}

/** For what is heard as long as somebody listens: asked for anew whenever its stream is opened. */
export function presentsOf(
  { credentials }: Pick<CallParts, 'credentials'>,
  requestContext: RequestContext,
  target: Pick<Target, 'connectionId' | 'credentials'>,
): CredentialSource | undefined {
  if (target.credentials !== true || credentials === undefined) return undefined
  const asking = askingOf({ requestContext, target })
  return {
    open: () => openFor(credentials, asking, {}),
    refused: (used: OpenCredential | undefined, challenge, status) =>
      credentials.refused(asking, used, challenge, status).then(
        () => true,
        () => false,
      ),
  }
}

const ACCOUNT_KEY = 'dev.toolway/account'

/** Every answer says which account acted, where one did. */
export function sayAccount(answer: Answer, { facts: { account } }: Noted<'account'>): Answer {
  return account === undefined || 'error' in answer ? answer : { result: withAccount(answer.result, account) }
}

export const withAccount = (result: JsonObject, account: ActingAccount | undefined): JsonObject =>
  account === undefined ? result : { ...result, _meta: { ...metaOf(result), [ACCOUNT_KEY]: { ...account } } }
