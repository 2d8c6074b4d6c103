/** The authorization server, for clients that get in by the address alone, and what removes what nobody needs of it. */
import { createOAuth, type OAuthParts } from '../http/oauth/oauth.ts'
import type { OAuthDoor } from '../http/oauth/oauth-door.ts'
import { removeExpiredClients } from '../identity/oauth/oauth-clients.ts'
import { removeOldGrants } from '../identity/oauth/oauth-grants.ts'
import { removeExpiredTokens } from '../identity/oauth/oauth-tokens.ts'
import { createCleanOAuth } from '../features/authorization/index.ts'
import type { KeepSnapshots } from '../snapshot/keep-snapshots.ts'
import type { BaseWithDatabase } from '../base/base.ts'

export interface ComposeOAuthParts extends Pick<
  OAuthParts,
  'endpoints' | 'accounts' | 'keys' | 'lifetimes' | 'web' | 'clients'
> {
  readonly snapshots: Pick<KeepSnapshots, 'find' | 'all'>
}

export function composeOAuth(core: BaseWithDatabase, { snapshots, ...parts }: ComposeOAuthParts): OAuthDoor {
  const { config, db, vault, log, counters, opened } = core
  const oauth = createOAuth({
    ...parts,
    db,
    vault,
    loopbackDocuments: config.TOOLWAY_LOOPBACK_CLIENTS === 'on',
    findOrganization: snapshots.find,
    allOrganizations: snapshots.all,
    onRenew: counters.renew,
    log,
  })
  const clean = createCleanOAuth({
    clean: () =>
      db.system(async (sql) => {
        await removeExpiredTokens(sql)
        await removeOldGrants(sql)
        await removeExpiredClients(sql)
      }),
    log,
  })
  opened.defer(() => clean.close())
  return oauth
}
