/** OAuth clients that a person adds by hand: for those that can neither register themselves nor be a document. */
import type { NewOAuthClient } from '@toolway/contract/admin'
import type { SystemSql } from '../db/db.ts'
import { addClient, mintClientSecret, type ClientRow } from '../identity/oauth/oauth-clients.ts'
import { secretHashOf } from './library.ts'
import { shapeClient } from './client-shape.ts'

/** The client and its secret, which is told this once. Throws `ClientProblem`. */
export async function addByHand(
  sql: SystemSql,
  hash: (text: string) => Buffer,
  { name, redirect_uris, confidential }: NewOAuthClient,
  createdBy: string,
): Promise<{ row: ClientRow; secret: string | undefined }> {
  const shaped = shapeClient(
    {
      client_name: name,
      redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      // The library takes a secret in the header and in the body alike.
      token_endpoint_auth_method: confidential ? 'client_secret_basic' : 'none',
    },
    { vouched: true },
  )
  const secret = confidential ? mintClientSecret() : undefined
  const row = await addClient(sql, {
    kind: 'added',
    name: shaped.name ?? name,
    metadata: shaped.metadata,
    secretHash: secret === undefined ? undefined : secretHashOf(hash, secret),
    registeredFrom: undefined,
    createdBy,
  })
  return { row, secret }
}
