/** Removes tokens, grants and unused clients of our own authorization server that have run out. Every gateway does it. */
import type { BaseWithDatabase } from '../../base/base.ts'
import { removeExpiredClients } from '../../identity/oauth/oauth-clients.ts'
import { removeOldGrants } from '../../identity/oauth/oauth-grants.ts'
import { removeExpiredTokens } from '../../identity/oauth/oauth-tokens.ts'
import { createCleanOld } from '../../lib/clean-old.ts'

const HOUR = 60 * 60_000

export function startAuthorization({ db, log, opened }: BaseWithDatabase): void {
  const removeOld = () =>
    db.system(async (sql) => {
      await removeExpiredTokens(sql)
      await removeOldGrants(sql)
      await removeExpiredClients(sql)
    })
  const cleaning = createCleanOld({ removeOld, what: 'what has run out of OAuth', log, every: HOUR })
  opened.defer(() => cleaning.close())
}
