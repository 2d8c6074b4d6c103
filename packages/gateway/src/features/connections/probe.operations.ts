/**
 * Looks at an address before it is connected: each kind of connection is asked whether its server answers there.
 *
 * Nothing that opens anything is sent there, nothing is kept, and it reaches no further than a connection of who asks could. It ends
 * within seconds, whatever is there.
 */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { discoverNamed, isAssumed } from '../../oauth/outgoing/protocol/discover.ts'
import { probeAuthAt } from '../../oauth/outgoing/flows/auth-probe.ts'
import type { Egress } from '../../oauth/outgoing/ports.ts'
import { createExceptions } from '../../upstreams/http/exceptions.ts'
import { problemOfAddress } from '../../upstreams/http/given-address.ts'
import { mayBePrivate, privateHostOf, privateOriginOf } from '../../upstreams/http/permits.ts'
import { addressIn } from '../../lib/http-address.ts'
import { serveOrganization, type Served } from './serve.operations.ts'
import type { Found, Probing } from '../../kinds/kind.ts'
import { KINDS } from '../../kinds/kinds.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import { proposedName } from './proposed-name.ts'

/** Seconds for each look: somebody is in front of a form. */
const PATIENCE_SECONDS = 8

export const probeOperations: readonly Served[] = [
  serveOrganization(shapes.probeAddress, async ({ role, organization, body, signal }) => {
    const url = addressIn(body.url)
    const platform = role === 'platform_admin'
    const exceptions = createExceptions(organization.egress)
    const barred = problemOfAddress(url, { allowPrivate: false, exceptions }) !== undefined
    if (barred && !platform) throw new Fault('private.forbidden')
    const privateOrigins = privateOriginOf(platform && namesPrivate(url), url)
    const egress = { alias: new URL(url).host, privateOrigins, exceptions }
    return probe(url, egress, { signal, share: organization.id })
  }),
]

/** Each kind looks in turn; the failure is the one of the first. */
async function probe(url: string, egress: Probing['egress'], whose: Pick<Probing, 'signal' | 'share'>) {
  const probing: Probing = {
    egress,
    ...whose,
    patience: PATIENCE_SECONDS * 1000,
    greet: async () =>
      (
        await probeAuthAt(url, {
          egress,
          headers: {},
          pin: undefined,
          patience: PATIENCE_SECONDS,
          signal: whose.signal,
        })
      ).server,
    // As when an account is connected: the authorization server may be at another port of a private address.
    wayIn: () =>
      wayAt(url, { ...egress, privateOrigins: privateHostOf(mayBePrivate(egress.privateOrigins, new URL(url)), url) }),
  }
  let failure: Fault | undefined
  for (const kind of KINDS) {
    try {
      const found = await kind.probe?.(url, probing)
      if (found === undefined) continue
      const { names, ...what } = found
      return { ...what, name: proposedName(...names) ?? null, failure: null }
    } catch (thrown) {
      failure ??= Fault.of(thrown)
    }
  }
  return { found: 'unknown', auth: null, name: null, failure: failure === undefined ? null : wordsOf(failure) } as const
}

const wordsOf = ({ row, code, message, mend }: Fault) => ({ phase: row.phase, code, problem: message, mend })

/** Undefined where it takes longer than somebody waits. */
function inTime<Value>(found: Promise<Value>): Promise<Value | undefined> {
  const late = new Promise<undefined>((resolve) =>
    setTimeout(() => resolve(undefined), PATIENCE_SECONDS * 1000).unref(),
  )
  return Promise.race([found.catch(() => undefined), late])
}

/** A server that names an authorization server lets people sign in; one that does not wants a key. */
async function wayAt(url: string, egress: Egress): Promise<Omit<Found, 'found'>> {
  const found = await inTime(discoverNamed({ url, challenge: undefined, egress }))
  if (found === undefined || isAssumed(found.authority)) return { auth: 'api_key', names: [] }
  return { auth: 'oauth', names: [found.name] }
}
