/**
 * Returns the client as which a credential is renewed and revoked: the one that obtained it. The secret of another client is
 * never sent, even if that one has replaced it since.
 */
import type { Authority } from '@toolway/contract'
import { findClient } from '../../../credentials/oauth-apps.ts'
import type { BoundRow } from '../../../credentials/renewal.ts'
import type { OrgSql, SystemSql } from '../../../db/db.ts'
import { oauthAppSealContext } from '../../../vault/sealed-columns.ts'
import type { Vault } from '../../../vault/vault.ts'
import { methodFor } from '../protocol/client-proof.ts'
import type { ClientIdentity, RevealSecret } from '../ports.ts'

export interface ClientOfParts {
  readonly vault: Pick<Vault, 'open'>
  readonly reveal: RevealSecret
  /** The client of the gateway's own settings at an authorization server. */
  global(authority: Authority): Omit<ClientIdentity, 'appId'> | undefined
}

/** Undefined where that client is not known any more. */
export type ClientOf = (
  sql: OrgSql | SystemSql,
  bound: Pick<BoundRow, 'authority' | 'client_id' | 'app_id'>,
) => Promise<ClientIdentity | undefined>

export function createClientOf({ vault, reveal, global }: ClientOfParts): ClientOf {
  return async (sql, { authority, client_id: clientId, app_id: appId }) => {
    if (authority === null || clientId === null) return undefined
    if (appId === null) {
      const own = global(authority)
      // Known by its metadata document, or public: nothing proves it.
      return own?.clientId === clientId
        ? { ...own, appId: undefined }
        : { clientId, secret: undefined, method: 'none', appId: undefined }
    }
    const app = await findClient(sql, appId)
    if (app?.client_id !== clientId) return undefined
    const secret =
      app.sealed === null
        ? undefined
        : await reveal(app.organization_id, vault.open(app.sealed, oauthAppSealContext(app.id)))
    return { clientId, secret, method: app.auth_method ?? methodFor(authority, secret), appId }
  }
}
