/**
 * Knocking at a server: what does it say to who comes with nothing, or with just these headers? Over a line of its own, which ends
 * with the answer, so that nothing of it is ever shared with a call.
 */
import { Fault } from '@toolway/contract'
import { fetchOffer } from '../../../jobs/sync-catalog.ts'
import { createUpstreams } from '../../../upstreams/upstreams.ts'
import type { Target } from './target.ts'

/** Seconds that a person in front of a page waits for it. */
const PATIENCE = 20

/** The fault, if it does not let them in. */
export async function knock(target: Target, headers: Readonly<Record<string, string>>): Promise<Fault | undefined> {
  const { url, egress, connection } = target
  if (url === undefined || connection === undefined) return undefined
  const { alias, allowPrivate, exceptions } = egress
  const { revision } = connection.settings
  const pin = revision === 'auto' ? undefined : revision
  const upstreams = createUpstreams({
    children: { start: () => Promise.reject(new Error('nothing is started for a knock')) },
    pools: false,
    onRevision() {},
    onNoise() {},
  })
  try {
    const upstream = upstreams.open('knock', '1', () => ({
      connectionId: 'knock',
      alias,
      timeout: PATIENCE,
      revision: pin,
      pinned: pin !== undefined,
      wire: {
        kind: 'http',
        url,
        private: allowPrivate,
        ...(exceptions === undefined ? {} : { exceptions }),
        headers: { ...lowerCased(target.headers), ...headers },
      },
    }))
    await fetchOffer(upstream, alias, AbortSignal.timeout(PATIENCE * 1000))
    return undefined
  } catch (thrown) {
    return Fault.of(thrown)
  } finally {
    await upstreams.close()
  }
}

const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
