/** Changes that an operator makes to the connections of a running gateway, and the resulting state in the database. */
import { partsOf, sealerOf, shownOf } from '../../../packages/gateway/src/kinds/kinds.ts'
import { settingsSealContext } from '../../../packages/gateway/src/snapshot/snapshot.ts'
import { listCatalogs } from '../../../packages/gateway/src/catalog/catalogs.ts'
import {
  addConnection,
  changeConnection,
  findConnection,
  removeConnection,
} from '../../../packages/gateway/src/connections/connections.ts'
import {
  createTestVault,
  type TestConnection,
  type TestGateway,
} from '../../../packages/gateway/src/testing/gateway.ts'

const vault = createTestVault()
const ORIGIN = 'command line'

/** Add a connection, or make the one of that alias say this. */
export async function putConnection({ db, organization }: TestGateway, words: TestConnection): Promise<void> {
  const { alias, wire, enabled = true, revision = 'auto', timeout = 30, title = alias } = words
  const { settings, secrets } = partsOf({ revision, timeout, wire, shown: shownOf(wire) })
  const seal = sealerOf(secrets, vault.seal, settingsSealContext)
  const next = { title, settings, enabled, origin: ORIGIN, seal }
  await db.organization(organization.id, async (sql) => {
    const held = await findConnection(sql, alias)
    if (held === undefined) await addConnection(sql, { organizationId: organization.id, alias, ...next })
    else await changeConnection(sql, held.id, next)
  })
}

export const removeFrom = ({ db, organization }: TestGateway, alias: string): Promise<boolean> =>
  db.organization(organization.id, (sql) => removeConnection(sql, alias))

export interface ConnectionState {
  readonly status: string
  readonly reason: string | null
  readonly tools: readonly string[]
  readonly staleSince: Date | null
  readonly staleReason: string | null
}

/**
 * Returns the state of a connection from the database; undefined when there is no such connection, or nothing is known of it yet.
 */
export const stateOf = ({ db, organization }: TestGateway, alias: string): Promise<ConnectionState | undefined> =>
  db.organization(organization.id, async (sql) => {
    const connection = await findConnection(sql, alias)
    const catalog = (await listCatalogs(sql)).find(({ connection_id: id }) => id === connection?.id)
    if (connection === undefined || catalog === undefined) return undefined
    return {
      status: connection.status,
      reason: connection.status_reason,
      tools: (catalog.tools ?? []).map(({ name }) => String(name)),
      staleSince: catalog.stale_since,
      staleReason: catalog.stale_reason,
    }
  })
