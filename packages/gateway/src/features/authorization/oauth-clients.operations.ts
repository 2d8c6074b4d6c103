/** The operations on OAuth clients. */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { countClients, listClients, removeClient, type ClientRow } from '../../identity/oauth/oauth-clients.ts'
import { addByHand } from '../../oauth/added-clients.ts'
import { ClientProblem } from '../../oauth/client-shape.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import { pageAt, partOf } from '../../lib/page.ts'

const { servePlatform } = operationServers<OperationBase>()

const toClient = (row: ClientRow): shapes.OAuthClient => ({
  client_id: row.id,
  kind: row.kind,
  name: row.name,
  redirect_uris: row.metadata.redirect_uris,
  token_endpoint_auth_method: row.metadata.token_endpoint_auth_method,
  created_at: row.created_at.toISOString(),
  used_at: row.used_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
})

type Added = Awaited<ReturnType<typeof addByHand>>

export const oauthClientOperations: readonly Served<OperationBase>[] = [
  servePlatform(shapes.listOAuthClients, async ({ read, query }) => {
    const part = partOf(query)
    const [rows, total] = await read(async (sql) => [await listClients(sql, part), await countClients(sql)] as const)
    return pageAt(rows, { query, start: part.offset, total }, toClient)
  }),
  servePlatform(shapes.addOAuthClient, async ({ parts, principal, change, body }) => {
    const { row, secret } = await change(
      ({ row }: Added) => ({ action: 'client.add', resource: 'client', id: row.id, detail: { name: row.name } }),
      (sql) => addByHand(sql, parts.vault.hash, body, principal.id).catch(sayWhere),
    )
    return { ...toClient(row), ...(secret === undefined ? {} : { client_secret: secret }) }
  }),
  servePlatform(shapes.removeOAuthClient, async ({ change, params }) => {
    await change(
      (row: ClientRow) => ({ action: 'client.remove', resource: 'client', id: row.id, detail: { name: row.name } }),
      async (sql) => {
        const row = await removeClient(sql, params['client'] ?? '')
        if (row === undefined) throw new Fault('thing.unknown', { thing: 'client' })
        return row
      },
    )
    return undefined
  }),
]

function sayWhere(thrown: unknown): never {
  if (!(thrown instanceof ClientProblem)) throw thrown
  throw new Fault('body.shape', { place: '/redirect_uris', problem: thrown.message })
}
