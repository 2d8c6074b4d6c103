/** The operations on the keys of the platform and of organizations. One's own are in `my-keys.operations.ts`. */
import { Fault, type OrganizationId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { listKeyPage, removeKeyById, storeTrust, type KeyOnPage, type KeyRow } from '../../identity/keys/keys.ts'
import type { Principal } from '../../identity/principal.ts'
import { keyChange, makeKey, refuseBeyond, toKey, type KeyWords, type MadeKey } from './make-key.ts'
import { importKeys } from './old-keys.ts'
import type { Origin } from '../../lib/origin.ts'
import { operationServers, type OperationBase, type OperationCall, type Served } from '../../operations/serve.ts'
import { sortedPage } from '../../lib/page.ts'

/** The parts that the operations on keys work with. */
export interface KeyParts extends OperationBase {
  /** Makes this process ask the database anew for every key; other processes hear of a change from the database. */
  forgetKeys(): void
}

const { serveOrganization, servePlatform } = operationServers<KeyParts>()

const toListedKey = (row: KeyOnPage): shapes.Key => ({ ...toKey(row), user_email: row.user_email })

interface Wished {
  readonly name: string
  readonly scope: KeyWords['role']
  readonly limit: KeyWords['limit']
  readonly toolset?: string | undefined
  readonly family: KeyWords['family']
  readonly trusted: boolean
  readonly expires_at?: string | undefined
}

const wordsOf = (
  requested: Wished,
  organizationId: OrganizationId | undefined,
  { principal, origin }: { principal: Principal; origin: Origin },
): KeyWords => ({
  organizationId,
  name: requested.name,
  family: requested.family,
  role: requested.scope,
  limit: requested.limit,
  toolset: requested.toolset,
  trusted: requested.trusted,
  expiresAt: requested.expires_at === undefined ? undefined : new Date(requested.expires_at),
  origin: origin === 'administration' ? 'admin' : origin,
  createdBy: principal.id,
})

/** The answer that holds a key is kept by nobody on its way. */
const responseOf = ({ row, key }: MadeKey, head: OperationCall['head']) => {
  head.set('cache-control', 'no-store')
  return { ...toKey(row), key }
}

function organizationNamed({ snapshots }: KeyParts, name: string | null | undefined) {
  if (name == null) return undefined
  const found = snapshots.find({ id: name }) ?? snapshots.find({ slug: name })
  if (found === undefined) throw new Fault('thing.unknown', { thing: 'organization' })
  return found
}

function existingKey(row: KeyRow | undefined): KeyRow {
  if (row === undefined) throw new Fault('thing.unknown', { thing: 'key' })
  return row
}

const inOrganizationOf = ({ organization_id: id }: KeyRow) => (id === null ? {} : { organizationId: id })

export const keyOperations: readonly Served<KeyParts>[] = [
  servePlatform(shapes.addPlatformKey, async ({ parts, principal, role, body, origin, head, change }) => {
    const organization = organizationNamed(parts, body.tenant_id)
    const words = wordsOf(body, organization?.organization.id, { principal, origin })
    const made = await change(
      ({ row }: MadeKey) => ({ ...keyChange('key.add', row), ...inOrganizationOf(row) }),
      async (sql) => {
        await refuseBeyond(sql, principal, role, words)
        return makeKey(sql, parts.vault.hash, words, organization?.toolsets ?? [])
      },
    )
    return responseOf(made, head)
  }),

  servePlatform(shapes.listPlatformKeys, async ({ parts, query, read }) => {
    const organization = organizationNamed(parts, query.tenant_id)?.organization.id
    const page = sortedPage(query)
    const found = await read((sql) =>
      listKeyPage(sql, { search: query.search, organizationId: organization }, page.order),
    )
    return page.of(found, ({ id }) => id, toListedKey)
  }),

  servePlatform(shapes.importKeys, async ({ parts, actor, body }) => {
    const { find } = parts.snapshots
    const findOrganization = (name: string) => (find({ slug: name }) ?? find({ id: name }))?.organization.id
    return { imported: await importKeys({ db: parts.db, actor, findOrganization }, body.lines) }
  }),

  servePlatform(shapes.trustKey, async ({ parts, principal, params, change }) => {
    const row = await change(
      (key: KeyRow) => ({ ...keyChange('key.trust', key), ...inOrganizationOf(key) }),
      async (sql) => existingKey(await storeTrust(sql, params['key'] ?? '', principal.id)),
    )
    parts.forgetKeys()
    return toKey(row)
  }),

  servePlatform(shapes.removePlatformKey, async ({ parts, params, change }) => {
    await change(
      (row: KeyRow) => ({ ...keyChange('key.remove', row), ...inOrganizationOf(row) }),
      async (sql) => existingKey(await removeKeyById(sql, params['key'] ?? '')),
    )
    parts.forgetKeys()
    return undefined
  }),

  serveOrganization(shapes.addOrganizationKey, async (request) => {
    const { parts, principal, role, organization, body, head, change } = request
    const words = wordsOf(body, organization.id, request)
    const toolsets = parts.snapshots.find({ id: organization.id })?.toolsets ?? []
    const made = await change(
      ({ row }: MadeKey) => keyChange('key.add', row),
      async (sql) => {
        await refuseBeyond(sql, principal, role, words)
        return makeKey(sql, parts.vault.hash, words, toolsets)
      },
    )
    return responseOf(made, head)
  }),

  serveOrganization(shapes.listOrganizationKeys, async ({ query, read }) => {
    const page = sortedPage(query)
    return page.of(await read((sql) => listKeyPage(sql, query, page.order)), ({ id }) => id, toListedKey)
  }),

  serveOrganization(shapes.removeOrganizationKey, async ({ parts, params, change }) => {
    await change(
      (row: KeyRow) => keyChange('key.remove', row),
      async (sql) => existingKey(await removeKeyById(sql, params['key'] ?? '')),
    )
    parts.forgetKeys()
    return undefined
  }),
]
