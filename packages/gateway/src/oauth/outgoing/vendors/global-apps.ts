/**
 * The OAuth apps that the gateway's own settings name, for organizations that have none of their own (ledger S3-OAU-03).
 *
 * One client serves all providers of its family (`GOOGLE_CLIENT_ID`: gmail, google_docs, …). It is used at the vendor's own
 * authorization server, as its row names it, and at no other: a server that somebody runs themselves, and a directory that a connection
 * names, have clients of their own.
 */
import { authorityOf, findProvider, type Authority } from '@toolway/contract'
import type { ClientIdentity } from '../ports.ts'

export type GlobalApp = Omit<ClientIdentity, 'appId'>

export interface GlobalApps {
  /** Undefined where none is set, and for every authorization server that is not the vendor's own. */
  of(authority: Authority): GlobalApp | undefined
  /** Whether a provider has one, by its name. */
  has(provider: string): boolean
}

/** `apps`: what is set, by family (`google`, `jira`, …). */
export function createGlobalApps(apps: ReadonlyMap<string, { clientId: string; secret: string }>): GlobalApps {
  return {
    of(authority) {
      const found = findProvider(authority.provider)
      const app = found === undefined || !isUsual(authority) ? undefined : apps.get(found.family)
      return app === undefined || found === undefined ? undefined : { ...app, method: found.clientAuth }
    },
    has: (provider) => apps.has(findProvider(provider)?.family ?? ''),
  }
}

/** Every address is compared, so that none of them leads the client's secret elsewhere. */
function isUsual({ provider, authorizationEndpoint, tokenEndpoint, revocationEndpoint }: Authority): boolean {
  const usual = authorityOf(provider)
  return (
    authorizationEndpoint === usual.authorizationEndpoint &&
    tokenEndpoint === usual.tokenEndpoint &&
    (revocationEndpoint === undefined || revocationEndpoint === usual.revocationEndpoint)
  )
}
