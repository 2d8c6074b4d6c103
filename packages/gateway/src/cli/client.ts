/** `toolway client …`: add, list and remove OAuth clients. A secret is printed once and kept nowhere. */
import { randomUUID } from 'node:crypto'
import { listClients, removeClient } from '../identity/oauth/oauth-clients.ts'
import { addByHand } from '../oauth/added-clients.ts'
import { ClientProblem } from '../oauth/client-shape.ts'
import { recordChange, type Actor } from '../records/change.ts'
import { DEFAULT_SLUG } from '../organizations/organizations.ts'
import { CommandFault, EXIT, table, type Output } from './terminal/output.ts'
import { withStore } from './store.ts'

const BY = 'command line'

const actor = (): Actor => ({
  id: BY,
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: randomUUID(),
})

export interface NewClient {
  readonly name: string
  readonly redirects: readonly string[]
  readonly confidential: boolean
}

export const add = ({ name, redirects, confidential }: NewClient, output: Output): Promise<number> =>
  withStore(DEFAULT_SLUG, async ({ db, vault }) => {
    const { row, secret } = await db.system(async (sql) => {
      const added = await addByHand(sql, vault.hash, { name, redirect_uris: [...redirects], confidential }, BY).catch(
        (thrown: unknown) => {
          if (thrown instanceof ClientProblem) throw new CommandFault(`${thrown.message}.`, EXIT.usage)
          throw thrown
        },
      )
      const change = { action: 'client.add', resource: 'client', id: added.row.id, detail: { name } }
      await recordChange(sql, actor(), undefined, change)
      return added
    })
    const lines = [`client id      ${row.id}`, ...(secret === undefined ? [] : [`client secret  ${secret}`])]
    const once = secret === undefined || output.json ? [] : ['The secret is shown only this once.']
    output.result({ client_id: row.id, ...(secret === undefined ? {} : { client_secret: secret }) }, [
      ...lines,
      ...once,
    ])
    return EXIT.ok
  })

export const list = (output: Output): Promise<number> =>
  withStore(DEFAULT_SLUG, async ({ db }) => {
    const values = (await db.system(listClients)).map(({ id, kind, name, metadata, created_at, used_at }) => ({
      client_id: id,
      name,
      kind,
      redirect_uris: metadata.redirect_uris,
      created: created_at.toISOString(),
      used: used_at?.toISOString() ?? null,
    }))
    output.result(
      values,
      table(
        ['CLIENT', 'NAME', 'CAME BY', 'CREATED', 'USED'],
        values.map(({ client_id, name, kind, created, used }) => [
          client_id,
          name,
          kind === 'dynamic' ? 'itself' : 'an administrator',
          created,
          used ?? 'never',
        ]),
      ),
    )
    return EXIT.ok
  })

export const remove = (id: string, output: Output): Promise<number> =>
  withStore(DEFAULT_SLUG, async ({ db }) => {
    const removed = await db.system(async (sql) => {
      const row = await removeClient(sql, id)
      if (row !== undefined) {
        const change = { action: 'client.remove', resource: 'client', id: row.id, detail: { name: row.name } }
        await recordChange(sql, actor(), undefined, change)
      }
      return row
    })
    if (removed === undefined) throw new CommandFault(`There is no client "${id}"; \`toolway client list\` shows them.`)
    output.result({ removed: id }, [`Removed the client "${removed.name}": whatever was allowed to it has ended.`])
    return EXIT.ok
  })
