/**
 * Connections of the crawler: the address is judged when the connection is made, behind name resolution, so that literal addresses in
 * any spelling, redirects and names that resolve differently the second time all meet the same check (ledger U-23). The judgement is
 * the gateway's (`@toolway/contract/address-kind`).
 */
import { lookup, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { kindOf } from '@toolway/contract/address-kind'
import { Agent, buildConnector } from 'undici'
import { PageProblem } from '../page-problem.ts'
import type { CrawlSettings } from '../settings.ts'

/** Bytes that the headers of an answer may have. */
const MOST_HEADERS_BYTES = 32 * 1024

export function isAllowed(address: string, { allowPrivate }: Pick<CrawlSettings, 'allowPrivate'>): boolean {
  const kind = kindOf(address)
  return kind === 'public' || (allowPrivate && (kind === 'private' || kind === 'shared'))
}

const refusal = ({ allowPrivate }: CrawlSettings, cause?: unknown) =>
  new PageProblem(
    allowPrivate
      ? 'The address belongs to this system or to cloud metadata and is always blocked.'
      : 'The address does not resolve, or is not public. Private addresses are allowed only if the toolkit is started with --allow-private.',
    { cause },
  )

function createConnector(settings: CrawlSettings): buildConnector.connector {
  const connect = buildConnector({
    timeout: settings.connectTimeout,
    allowH2: false,
    lookup: (hostname, options, callback) => {
      lookup(hostname, { ...options, all: true }, (error, found) => {
        const addresses = found as LookupAddress[] | undefined
        if (error?.code === 'EAI_AGAIN') callback(error, [])
        // One answer for a name that is unknown and for one that leads inside: two would tell which names the network has.
        else if (error !== null || addresses === undefined)
          callback(settings.allowPrivate ? error : refusal(settings, error), [])
        else if (addresses.every(({ address }) => isAllowed(address, settings))) callback(null, addresses)
        else callback(refusal(settings), [])
      })
    },
  })
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isAllowed(host, settings)) callback(refusal(settings), null)
    else connect(target, callback)
  }
}

export const createAgent = (settings: CrawlSettings): Agent =>
  new Agent({
    connect: createConnector(settings),
    connections: settings.perHost,
    headersTimeout: settings.headersTimeout,
    bodyTimeout: settings.bodyTimeout,
    maxHeaderSize: MOST_HEADERS_BYTES,
    allowH2: false,
  })
