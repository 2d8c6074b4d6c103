/** The operations on SCIM tokens and on leavers of an organization. A secret is in the answer that makes it and in no other. */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import { newestPage } from '../../lib/page.ts'
import type { Change } from '../../records/change.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import { listLeaverPage, listOwned, removeLeaver, type LeaverRow } from './leavers.rows.ts'
import {
  addScimToken,
  countProvided,
  endScimTokenIn,
  findScimToken,
  listScimTokens,
  removeScimToken,
  type ScimTokenRow,
} from './scim-tokens.rows.ts'

/** The parts that these operations work with. */
export interface ScimParts extends OperationBase {
  publicUrl(): string
}

/** Each provider has one or two, and two more while they are renewed. */
const MOST = 10

const { serveOrganization } = operationServers<ScimParts>()

const toToken = ({ id, name, hint, created_at, expires_at, last_used_at }: ScimTokenRow): shapes.ScimToken => ({
  ...{ id, name, hint },
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
})

const tokenChange =
  (verb: 'add' | 'rotate' | 'remove') =>
  ({ id, name }: ScimTokenRow): Change => ({
    action: `scim_token.${verb}`,
    resource: 'SCIM token',
    id,
    detail: { name },
  })

async function getToken(sql: OrgSql, id: string | undefined): Promise<ScimTokenRow> {
  const row = await findScimToken(sql, id ?? '')
  if (row === undefined) throw new Fault('thing.unknown', { thing: 'SCIM token' })
  return row
}

async function refuseMore(sql: OrgSql): Promise<void> {
  if ((await listScimTokens(sql)).length >= MOST) throw new Fault('scim.token-limit', { limit: MOST })
}

const latest = (tokens: readonly ScimTokenRow[]): string | null =>
  tokens
    .map(({ last_used_at: at }) => at?.toISOString() ?? '')
    .toSorted()
    .at(-1) || null

type Owned = Awaited<ReturnType<typeof listOwned>>

const toLeaver = ({ id, email, name, suspended, left_at: at }: LeaverRow, owned: Owned = []): shapes.Leaver => ({
  ...{ user_id: id, email, name, suspended, left_at: at.toISOString() },
  owned: owned.map((thing) => ({ kind: thing.kind, id: thing.id, name: thing.name })),
})

export const scimOperations: readonly Served<ScimParts>[] = [
  serveOrganization(shapes.getProvisioning, async ({ parts, organization, read }) => {
    const { tokens, counts } = await read(async (sql) => ({
      tokens: await listScimTokens(sql),
      counts: await countProvided(sql),
    }))
    const address = `${parts.publicUrl()}/scim/v2/${organization.slug}`
    return { address, ...counts, last_request_at: latest(tokens), tokens: tokens.map(toToken) }
  }),

  serveOrganization(shapes.addScimToken, async ({ parts, principal, organization, body, head, change }) => {
    const made = await change(tokenChange('add'), async (sql) => {
      await refuseMore(sql)
      const words = { name: body.name, days: body.expires_in_days, createdBy: principal.id }
      return addScimToken(sql, parts.vault.hash, { organizationId: organization.id, ...words })
    })
    head.set('cache-control', 'no-store')
    return { ...toToken(made), secret: made.secret }
  }),

  serveOrganization(shapes.rotateScimToken, async ({ parts, principal, organization, params, body, head, change }) => {
    const made = await change(tokenChange('rotate'), async (sql) => {
      const before = await getToken(sql, params['token'])
      await refuseMore(sql)
      await endScimTokenIn(sql, before.id, body.overlap_hours)
      const words = { name: before.name, days: body.expires_in_days, createdBy: principal.id }
      return addScimToken(sql, parts.vault.hash, { organizationId: organization.id, ...words })
    })
    head.set('cache-control', 'no-store')
    return { ...toToken(made), secret: made.secret }
  }),

  serveOrganization(shapes.removeScimToken, async ({ params, change }) => {
    await change(tokenChange('remove'), async (sql) => {
      const row = await getToken(sql, params['token'])
      await removeScimToken(sql, row.id)
      return row
    })
    return undefined
  }),

  serveOrganization(shapes.listLeavers, ({ read, query }) =>
    read(async (sql) => {
      const { from, of } = newestPage(query)
      const found = await listLeaverPage(sql, from)
      const owned = Map.groupBy(
        await listOwned(
          sql,
          found.rows.map(({ id }) => id),
        ),
        ({ user_id: owner }) => owner,
      )
      return of(found, (row) => toLeaver(row, owned.get(row.id)))
    }),
  ),

  serveOrganization(shapes.removeLeaver, async ({ params, change }) => {
    await change(
      (id: string) => ({ action: 'leaver.remove', resource: 'member', id }),
      async (sql) => {
        const id = params['user'] ?? ''
        if (!(await removeLeaver(sql, id))) throw new Fault('thing.unknown', { thing: 'person' })
        return id
      },
    )
    return undefined
  }),
]
