/**
 * The operations on integrations (ledger S2-API): each is carried out by the operation on connections that it means, so that permissions,
 * rules and records are the same, and there is no second store.
 */
import { Fault, permits, type ConnectionId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { Connection, ConnectionChange, Integration, NewConnection, Operation } from '@toolway/contract/admin'
import { listAccountStates } from '../../credentials/account-states.ts'
import { listCredentialsOf } from '../../credentials/connection-credentials.ts'
import { restartConnection } from '../../connections/connections.ts'
import { tellTested } from '../../connections/tell-integration.ts'
import { countWithNoun } from '../../lib/count-with-noun.ts'
import {
  addConnection,
  changeConnection,
  getConnection,
  listConnections,
  removeConnection,
  NO_ACCOUNTS,
  type Accounts,
  type ConnectionOperationParts,
} from '../connections/index.ts'
import { knowsTag, versionTag } from '../../lib/entity-tag.ts'
import {
  serveOrganization,
  type OrganizationRequest,
  type Served,
  type ServedOfConnections,
} from './serve.operations.ts'
import { type OperationCall } from '../../operations/serve.ts'
import { keyCredential } from '../../oauth/outgoing/ports.ts'
import { connectionChangeOf, integrationOf, newConnectionOf } from './integration-form.ts'
import { catalogOperations } from './registry.operations.ts'
import { oauthRedirectOperations } from './oauth-redirects.operations.ts'
import type { PageOf } from '../../lib/page.ts'
import { eachOf } from '../../lib/unreadable-rows.ts'
import { integrationTools } from './listed-tools.ts'
import { roleForbidden } from '../../lib/role-forbidden.ts'

/** The operations on connections, as the one who asks would ask for them. */
interface Underneath {
  get(): Promise<Connection>
  list(page: {
    limit: number
    offset: number
    cursor?: string | undefined
  }): Promise<PageOf<Connection> & { readonly by_status: unknown }>
  add(words: NewConnection): Promise<Connection>
  change(words: ConnectionChange): Promise<Connection>
  remove(): Promise<void>
}

type RunScope = Parameters<Served['run']>[2]

function underneath(parts: ConnectionOperationParts, asking: OperationCall, scope: RunScope): Underneath {
  const ask = async <Answer>(served: ServedOfConnections, more: Partial<OperationCall> = {}) =>
    (await served.run(parts, { ...asking, ...more }, scope)) as Answer
  return {
    get: () => ask(getConnection),
    list: (query) => ask(listConnections, { query }),
    add: (body) => ask(addConnection, { body }),
    change: (body) => ask(changeConnection, { body }),
    remove: () => ask(removeConnection),
  }
}

type Run<Op extends Operation> = (request: OrganizationRequest<Op>, below: Underneath) => Promise<unknown>

const serveIntegration = <Op extends Operation>(operation: Op, run: Run<Op>): Served => ({
  operation,
  run: (parts, asking, scope) =>
    serveOrganization(operation, (request) => run(request, underneath(parts, asking, scope)) as never).run(
      parts,
      asking,
      scope,
    ),
})

type Looking = Pick<OrganizationRequest<Operation>, 'read'>

const accountsOf = async ({ read }: Looking, ids: readonly string[]): Promise<(id: string) => Accounts> => {
  const rows = new Map(
    (await read((sql) => listCredentialsOf(sql, ids))).map((row) => [row.connection_id as string, row]),
  )
  return (id) => rows.get(id) ?? NO_ACCOUNTS
}
const shownIntegration = async (request: Looking, connection: Connection): Promise<Integration> =>
  integrationOf(connection, (await accountsOf(request, [connection.id]))(connection.id))

const idOf = ({ id }: Connection) => id as ConnectionId

const add = serveIntegration(shapes.addIntegration, async (request, { add: addConnection }) => {
  const { words, apiKey } = newConnectionOf(request.body)
  const made = await addConnection(words)
  if (apiKey !== undefined) await keepKey(request, idOf(made), apiKey)
  return shownIntegration(request, made)
})

/**
 * A key is the organization's: everybody who may call may use it, and nobody reads it again. It is a setting of its integration, so
 * whoever changes it says that the one before is replaced.
 */
async function keepKey(
  {
    parts,
    organization,
    actor,
    read,
  }: Pick<OrganizationRequest<Operation>, 'parts' | 'organization' | 'actor' | 'read'>,
  connectionId: ConnectionId,
  key: string,
): Promise<void> {
  const shared = await read((sql) => listAccountStates(sql, undefined))
  const replaces = shared.find((row) => row.connection_id === connectionId)?.id
  const place = {
    organizationId: organization.id,
    connectionId,
    userId: undefined,
    account: undefined,
    replaces,
    actor,
  }
  await parts.credentials.keep(keyCredential(place, { key }))
}

/** Another address, or another way in, ends what was given for the one before: that is part of the change itself. */
const change = serveIntegration(shapes.changeIntegration, async (request, below) => {
  const { words, apiKey } = connectionChangeOf(request.body, await below.get())
  const changed = await below.change(words)
  if (apiKey !== undefined) await keepKey(request, idOf(changed), apiKey)
  return shownIntegration(request, await below.get())
})

/** Its credentials end in the same transaction, and are then taken back where they came from. */
const remove = serveIntegration(shapes.removeIntegration, async (_, below) => below.remove())

const test = serveIntegration(shapes.testIntegration, async (request, below) => {
  const { parts, organization, change: leave } = request
  const { alias, enabled, ...connection } = await below.get()
  const id = connection.id as ConnectionId
  // A disabled connection is not contacted, and its state is unchanged.
  const fault = enabled ? await parts.sync(organization.id, id) : new Fault('upstream.disabled', { connection: alias })
  await leave(
    () => ({
      action: 'connection.test',
      resource: 'connection',
      id,
      outcome: fault === undefined ? ('ok' as const) : ('failed' as const),
      ...(fault === undefined ? {} : { code: fault.code }),
    }),
    (sql) => tellTested(sql, organization.id, id),
  )
  const integration = await shownIntegration(request, await below.get())
  return {
    success: fault === undefined,
    message: fault === undefined ? `Connected: ${countWithNoun(integration.tool_count, 'tool')}.` : fault.message,
    failure:
      fault === undefined
        ? null
        : { phase: fault.row.phase, code: fault.code, problem: fault.message, mend: fault.mend },
    tool_count: integration.tool_count,
    integration,
  }
})

const disconnect = serveIntegration(shapes.disconnectIntegration, async (request, below) => {
  const { parts, organization, role, principal, actor, change: leave } = request
  const current = await below.get()
  const all = permits(role, 'connector_update')
  if (!all && principal.userId === undefined) throw roleForbidden(role, 'connector_update')
  const { ended, problems } = await parts.credentials.end({
    organizationId: organization.id,
    connectionId: idOf(current),
    actor,
    ...(all ? {} : { userId: principal.userId ?? null }),
  })
  await leave(
    () => ({
      action: 'connection.disconnect',
      resource: 'connection',
      id: current.id,
      detail: { credentials: ended, problems },
    }),
    // Sessions were opened with what is gone now.
    async (sql) => (ended.length === 0 ? undefined : restartConnection(sql, current.alias)),
  )
  await parts.snapshots.refresh(organization.id)
  return {
    ended: ended.length,
    problems: [...problems],
    integration: await shownIntegration(request, await below.get()),
  }
})

/** Connections in the order of their aliases. */
const EVERYTHING = { sort: 'alias', order: 'asc' } as const

/** Fixed paths come before paths with parameters: `registry` and `tools` are not integrations. */
export const integrationOperations: readonly Served[] = [
  serveIntegration(shapes.listIntegrations, async (request, below) => {
    const { items, by_status: _, ...page } = await below.list({ ...EVERYTHING, ...request.query })
    const accounts = await accountsOf(
      request,
      items.map(({ id }) => id),
    )
    return { items: eachOf(items, (item) => integrationOf(item, accounts(item.id))), ...page }
  }),
  add,
  ...catalogOperations,
  serveIntegration(shapes.listIntegrationTools, async (request, below) => {
    const { items } = await below.list({ ...EVERYTHING, limit: Number.MAX_SAFE_INTEGER, offset: 0 })
    const accounts = await accountsOf(
      request,
      items.map(({ id }) => id),
    )
    // Before the tools are looked at, so that they are never older than it says.
    const snapshot = request.parts.snapshots.find({ id: request.organization.id })
    const version = snapshot?.version ?? 0
    const tools = integrationTools(
      { snapshot, limit: request.principal.limit },
      items.map((item) => integrationOf(item, accounts(item.id))),
    )
    const etag = versionTag(version, tools)
    if (knowsTag(request.header('if-none-match'), etag)) return new Response(null, { status: 304, headers: { etag } })
    request.head.set('etag', etag)
    return { items: tools, version }
  }),
  serveIntegration(shapes.getIntegration, async (request, below) => shownIntegration(request, await below.get())),
  change,
  remove,
  test,
  disconnect,
  ...oauthRedirectOperations,
]
