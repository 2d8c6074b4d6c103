/** The operations on connections (ledger S3-ADM-02). Secrets go in and never come out: an answer names them. */
import {
  ConnectionSecrets,
  type ConnectionSettings,
  Fault,
  firstLockOf,
  isPathHint,
  kindOf,
  permits,
  runsHere,
  type ConnectionId,
  type Role,
} from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { settingsSealContext, type Snapshot } from '../../snapshot/snapshot.ts'
import type { CatalogRow } from '../../catalog/catalogs.ts'
import {
  findConnection,
  listConnections,
  lockConnection,
  removeConnection,
  setToolLock,
  switchConnection,
  type ConnectionRow,
} from '../../connections/connections.ts'
import { listCredentialsOf } from '../../credentials/connection-credentials.ts'
import type { OrgSql } from '../../db/db.ts'
import { listSpentAliases } from '../../connections/spent-aliases.ts'
import { createAliasAllotment } from '../../lib/alias.ts'
import { idsOf, type Ended } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { changeAndEnd } from './change-and-end.ts'
import { differencesOf, unsealedOf } from './differences.ts'
import { authTypeOf, type Accounts } from './auth-type.ts'
import type { CallState } from './call-state.ts'
import { permittedParts, refuseProcess } from './permitted-parts.ts'
import { connectorOf, describe } from './describe-connection.ts'
import { createConnection, type CreatedConnection } from './create-connection.ts'
import { readCallStates, type CallStates } from './read-call-states.ts'
import { sealerOf, viewOf } from '../../kinds/kinds.ts'
import { refuseStale, tagOf } from '../../lib/entity-tag.ts'
import { refuseDeclared } from '../../lib/origin.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { PendingChange } from '../../operations/serve.ts'
import { removeDocument } from '../../connections/openapi-documents.ts'
import { addressAt } from '../../kinds/addresses.ts'
import {
  serveOrganization,
  type OrganizationRequest,
  type Served,
  type ShownConnectionParts,
} from './serve.operations.ts'
import type { Operation } from '@toolway/contract/admin'
import { pageFrom } from '../../lib/page.ts'
import { eachOf } from '../../lib/unreadable-rows.ts'

export const secretsOf = (
  { vault }: Pick<ShownConnectionParts, 'vault'>,
  { id, sealed }: ConnectionRow,
): ConnectionSecrets =>
  ConnectionSecrets.parse(sealed === null ? {} : JSON.parse(vault.open(sealed, settingsSealContext(id))))

interface Known {
  readonly catalog: CatalogRow | undefined
  readonly accounts: Accounts | undefined
  /** What the calls of whoever asks come to. */
  readonly state: CallState
  /** Whoever asks. */
  readonly role: Role
}

function toConnection(
  parts: ShownConnectionParts,
  row: ConnectionRow,
  { catalog, accounts, state, role }: Known,
): shapes.Connection {
  const { settings } = row
  const { status, needs, people } = state
  const isConnected = status === 'connected'
  const secrets = secretsOf(parts, row)
  const view = viewOf(settings, permits(role, 'connector_update'))
  return {
    id: row.id,
    alias: row.alias,
    title: row.title,
    description: row.description,
    connector: settings.connector,
    enabled: row.enabled,
    origin: row.origin,
    ...{ status, needs, people },
    status_reason: isConnected ? null : state.reason,
    hints: isConnected ? hintsOf(parts, row, role) : [],
    ...view,
    auth_type: authTypeOf({ auth: view.auth, headers: Object.keys(secrets.headers), status }, accounts),
    left_out: [...oddOf(catalog, false), ...leftOutOf(parts, row)],
    repaired: oddOf(catalog, true),
    oauth_repaired: repairedAnswersOf(row),
    header_names: Object.keys(secrets.headers),
    environment_names: Object.keys(secrets.environment),
    revision: settings.revision,
    // The catalog of what speaks no MCP, or several revisions to several users, has the gateway's own.
    spoken_revision: kindOf(settings.connector).speaksMcp ? (catalog?.revision ?? null) : null,
    checks: settings.checks ?? 'none',
    timeout: settings.timeout,
    tools: catalog?.tools?.length ?? 0,
    tools_enabled: row.tools_default,
    fetched_at: catalog?.fetched_at?.toISOString() ?? null,
    stale_reason: catalog?.stale_reason ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/**
 * A hint tells which paths exist on this machine, and a caller can bring one about: it is for those who may allow the path. Where
 * `TOOLWAY_SANDBOX_ROOTS` is set, hints name only paths of the organization's own folders.
 */
function hintsOf(
  { runtime }: ShownConnectionParts,
  { enabled, status_reason: reason }: ConnectionRow,
  role: Role,
): string[] {
  if (!enabled || reason === null || !permits(role, 'connector_update')) return []
  const mayAllow = role === 'platform_admin' || runtime.roots.length > 0
  return reason.split('\n').filter((hint) => mayAllow || !isPathHint(hint))
}

const oddOf = (catalog: CatalogRow | undefined, wasRepaired: boolean): shapes.Connection['left_out'] =>
  (catalog?.left_out ?? []).flatMap(({ repaired = false, name, reason }) =>
    repaired === wasRepaired ? [{ name, reason }] : [],
  )

/** In the order in which the documents are read. */
const DOCUMENTS = ['protected-resource metadata', 'authorization server metadata', 'registration response']
const repairedAnswersOf = ({ oauth_repairs: noted }: ConnectionRow): shapes.Connection['oauth_repaired'] => {
  const positionOf = (kind: string) => (DOCUMENTS.indexOf(kind) + DOCUMENTS.length + 1) % (DOCUMENTS.length + 1)
  return Object.entries(noted ?? {})
    .sort(([value], [other]) => positionOf(value) - positionOf(other))
    .map(([, { document, repaired }]) => ({ name: document, reason: repaired.join('; ') }))
}

/** Known where it was asked what it offers: nothing is asked for it. */
function leftOutOf(
  parts: ShownConnectionParts,
  { id, organization_id: of, settings, enabled }: ConnectionRow,
): shapes.Connection['left_out'] {
  if (kindOf(settings.connector).tellsLeftOut !== true || !enabled) return []
  try {
    return [...(snapshotOf(parts, of)?.upstream(id).leftOut?.() ?? [])]
  } catch {
    // One that cannot be opened leaves nothing out.
    return []
  }
}

const snapshotOf = ({ snapshots }: Pick<ShownConnectionParts, 'snapshots'>, id: string): Snapshot | undefined =>
  snapshots.find({ id })

interface Looking extends Pick<
  OrganizationRequest<Operation>,
  'organization' | 'principal' | 'role' | 'head' | 'read'
> {
  readonly parts: ShownConnectionParts
}

/** The states of connections for whoever asks. */
export const statesFor = ({
  parts,
  organization,
  principal,
  read,
}: Pick<Looking, 'organization' | 'principal' | 'read'> & {
  readonly parts: Omit<ShownConnectionParts, 'runtime'>
}): Promise<CallStates> =>
  read((sql) =>
    readCallStates(
      sql,
      { vault: parts.vault, ...parts.connect.apps },
      { userId: principal.userId, members: snapshotOf(parts, organization.id)?.members.size ?? 0 },
    ),
  )

/** From memory, which has by now whatever this process changed; what is known of accounts from the database. */
export async function shownConnection(request: Looking, name: string): Promise<shapes.Connection> {
  const { parts, organization, role, head, read } = request
  const row = findConnectionOf(parts, organization.id, name)
  head.set('etag', tagOf(row.updated_at))
  const catalog = snapshotOf(parts, organization.id)?.catalogs.get(row.id)
  const accounts = (await read((sql) => listCredentialsOf(sql, [row.id])))[0]
  const state = (await statesFor(request)).of(row)
  return toConnection(parts, row, { catalog, accounts, state, role })
}

/** The connection that is to be changed. Throws `thing.unknown`, `thing.declared` and `request.stale`. */
async function lockOwn(
  sql: OrgSql,
  { params, origin, ifMatch }: Pick<OrganizationRequest<Operation>, 'params' | 'origin' | 'ifMatch'>,
): Promise<ConnectionRow> {
  const connection = await lockConnection(sql, nameOf({ params }))
  if (connection === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
  refuseDeclared({ thing: 'connection', name: connection.alias, origin: connection.origin }, origin)
  refuseStale('connection', connection.updated_at, ifMatch)
  return connection
}

const nameOf = ({ params }: Pick<OrganizationRequest<Operation>, 'params'>) => params['connection'] ?? ''

/** An alias like the title that no connection has. Of the database: another gateway may have taken a name a moment ago. */
export async function proposedAlias(
  { read }: Pick<OrganizationRequest<Operation>, 'read'>,
  title: string,
  settings: ConnectionSettings,
): Promise<string> {
  const [present, spent] = await read(async (sql) => [
    await listConnections(sql),
    await listSpentAliases(sql, settings),
  ])
  const taken = [...present.map(({ alias }) => alias), ...spent]
  return createAliasAllotment(taken)(title)
}

type Filter = ReturnType<(typeof shapes.listConnections)['query']['parse']>

/** The words by which a state is found: its own, and that of the missing part. */
const namesOf = ({ status, needs }: CallState): readonly string[] =>
  needs === null ? [status] : [status, { app: 'needs_app', account: 'needs_account', credential: 'refused' }[needs]]

const fitsFilter =
  ({ search, connector, status, enabled }: Filter, states: CallStates) =>
  (row: ConnectionRow): boolean =>
    (search === undefined ||
      `${row.alias}\n${row.title}\n${row.description ?? ''}`.toLowerCase().includes(search.toLowerCase())) &&
    (connector === undefined || row.settings.connector === connector) &&
    (enabled === undefined || row.enabled === enabled) &&
    (status === undefined || namesOf(states.of(row)).includes(status))

interface Standing {
  readonly snapshot: Snapshot | undefined
  readonly states: CallStates
}

function stateOf({ snapshot, states }: Standing, row: ConnectionRow): string {
  const { status } = states.of(row)
  return status === 'connected' && snapshot?.catalogs.get(row.id)?.stale_reason != null ? 'stale' : status
}

/** The worst first; any other state is an error. */
const NEEDS: Readonly<Record<string, number>> = { needs_auth: 1, stale: 1, new: 2, connected: 3, disabled: 4 }

/** The sort is stable: those that are alike stay in the order of their aliases. */
function sortOf(standing: Standing, { sort, order }: Pick<Filter, 'sort' | 'order'>) {
  const keys: Record<typeof sort, (row: ConnectionRow) => string | number> = {
    alias: ({ alias }) => alias,
    need: (row) => NEEDS[stateOf(standing, row)] ?? 0,
    title: ({ title }) => title.toLowerCase(),
    status: (row) => standing.states.of(row).status,
    tools: ({ id }) => standing.snapshot?.catalogs.get(id)?.tools?.length ?? 0,
    created_at: ({ created_at: at }) => at.getTime(),
    updated_at: ({ updated_at: at }) => at.getTime(),
  }
  const [keyOf, sign] = [keys[sort], order === 'asc' ? 1 : -1]
  return (first: ConnectionRow, second: ConnectionRow): number => {
    const [firstKey, other] = [keyOf(first), keyOf(second)]
    return firstKey < other ? -sign : firstKey > other ? sign : 0
  }
}

function countBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const row of rows) counts[keyOf(row)] = (counts[keyOf(row)] ?? 0) + 1
  return counts
}

export const add = serveOrganization(shapes.addConnection, async (request) => {
  const { change, parts, organization, role, body } = request
  const connector = connectorOf(body)
  const described = describe(connector, body, undefined)
  const { roots } = parts.runtime
  const { settings, secrets } = permittedParts({ role, organization, roots }, described, {
    wanted: body.private,
  })
  const alias =
    body.alias ?? (await proposedAlias(request, body.title ?? body.name ?? connector.replace('mcp.', ''), settings))
  const { id } = await change(
    (created: CreatedConnection) => created.change,
    (sql) =>
      createConnection(
        sql,
        { organizationId: organization.id, vault: parts.vault },
        {
          alias,
          title: body.title ?? body.name ?? alias,
          description: body.description ?? null,
          enabled: body.enabled ?? body.is_enabled ?? true,
          origin: request.origin,
          settings,
          secrets,
        },
      ),
  )
  return new PendingChange(() => shownConnection(request, id))
})

type ChangeAsked = Pick<OrganizationRequest<typeof shapes.changeConnection>, 'parts' | 'organization' | 'role' | 'body'>

/**
 * A connection as the change makes it. One of another kind is described as a new one: nothing that was sealed for what it was goes to
 * what it is from now on. Throws what is wrong with the change.
 */
function applyChange({ parts, organization, role, body }: ChangeAsked, stored: ConnectionRow) {
  const { connector = stored.settings.connector } = body
  const opened =
    connector === stored.settings.connector
      ? { settings: stored.settings, secrets: secretsOf(parts, stored) }
      : undefined
  return {
    title: body.title ?? body.name ?? stored.title,
    description: body.description === undefined ? stored.description : body.description,
    enabled: body.enabled ?? body.is_enabled ?? stored.enabled,
    ...permittedParts({ role, organization, roots: parts.runtime.roots }, describe(connector, body, opened), {
      wanted: body.private,
      held: opened,
    }),
  }
}

export const change = serveOrganization(shapes.changeConnection, async (request) => {
  const { parts, organization, body } = request
  const { id, ended } = await request.change(
    (done: { id: ConnectionId; ended: Ended[] }) => ({
      action: 'connection.change',
      resource: 'connection',
      id: done.id,
      detail: { fields: Object.keys(body), ...credentialsOf(done.ended) },
    }),
    async (sql) => {
      const own = await lockOwn(sql, request)
      const { secrets, ...next } = applyChange(request, own)
      const ended = await changeAndEnd({ vault: parts.vault, endIn: parts.credentials.endIn }, sql, own, {
        ...next,
        origin: own.origin,
        seal: sealerOf(secrets, parts.vault.seal, settingsSealContext),
      })
      const before = { settings: own.settings, secrets: secretsOf(parts, own) }
      const { connector } = next.settings
      const isOtherKind = connector !== own.settings.connector
      // That the server before was believed says nothing about this one, and no lock is opened by the change.
      const mode = own.tool_lock === 'off' ? firstLockOf(connector) : own.tool_lock
      if (isOtherKind) await setToolLock(sql, own.id, { mode, trusted: false })
      const isOtherDocument =
        addressAt(before, 'document') !== addressAt({ settings: next.settings, secrets }, 'document')
      if (isOtherKind || isOtherDocument) await removeDocument(sql, own.id)
      return { id: own.id, ended }
    },
  )
  void parts.credentials.ended(organization.id, ended)
  return new PendingChange(() => shownConnection(request, id), { table: 'connections', ids: [id] })
})

const compare = serveOrganization(shapes.compareConnection, async (request) => {
  const stored = await request.read((sql) => findConnection(sql, nameOf(request)))
  if (stored === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
  const [before, after] = [{ ...stored, secrets: secretsOf(request.parts, stored) }, applyChange(request, stored)]
  const fields = differencesOf(before, after)
  // A start seals what was stored by an older version.
  return { fields: request.origin === 'file' ? [...new Set([...fields, ...unsealedOf(before, after)])] : fields }
})

const toggle = serveOrganization(shapes.toggleConnection, async (request) => {
  const { organization, body } = request
  const enabled = 'enabled' in body ? body.enabled : body.is_enabled
  const id = await request.change(
    (changed: ConnectionId) => ({
      action: 'connection.toggle',
      resource: 'connection',
      id: changed,
      detail: { enabled },
    }),
    async (sql) => {
      const own = await lockOwn(sql, request)
      // Permission for a command line is checked when it is written or switched on; switching it off needs none.
      if (enabled && runsHere(own.settings) && !own.enabled) refuseProcess({ role: request.role, organization })
      await switchConnection(sql, own.id, enabled)
      return own.id
    },
  )
  return new PendingChange(() => shownConnection(request, id), { table: 'connections', ids: [id] })
})

export const remove = serveOrganization(shapes.removeConnection, async (request) => {
  const { parts, organization } = request
  const { ended } = await request.change(
    ({ held: { id, alias }, ended: all }: { held: ConnectionRow; ended: Ended[] }) => ({
      action: 'connection.remove',
      resource: 'connection',
      id,
      detail: { alias, ...credentialsOf(all) },
    }),
    async (sql) => {
      const own = await lockOwn(sql, request)
      const all = await parts.credentials.endIn(sql, { connectionId: own.id })
      await removeConnection(sql, own.alias)
      return { held: own, ended: all }
    },
  )
  void parts.credentials.ended(organization.id, ended)
  return new PendingChange(() => undefined)
})

/** Returns the credentials that ended with the connection, for the audit entry. */
const credentialsOf = (ended: readonly Ended[]) => (ended.length === 0 ? {} : { credentials: idsOf(ended) })

export const list = serveOrganization(shapes.listConnections, async (request) => {
  const { parts, organization, role, query, read } = request
  const snapshot = snapshotOf(parts, organization.id)
  const states = await statesFor(request)
  const found = (snapshot?.connections ?? [])
    .filter(fitsFilter(query, states))
    .toSorted(sortOf({ snapshot, states }, query))
  const page = pageFrom(found, query, (row) => row)
  const ids = page.items.map(({ id }) => id)
  const accounts = new Map((await read((sql) => listCredentialsOf(sql, ids))).map((row) => [row.connection_id, row]))
  return {
    ...page,
    items: eachOf(page.items, (row) =>
      toConnection(parts, row, {
        ...{ catalog: snapshot?.catalogs.get(row.id), accounts: accounts.get(row.id), state: states.of(row), role },
      }),
    ),
    by_status: countBy(found, (row) => stateOf({ snapshot, states }, row)),
  }
})

export const get = serveOrganization(shapes.getConnection, (request) => shownConnection(request, nameOf(request)))

export const connectionOperations: readonly Served[] = [list, get, add, change, compare, remove, toggle]
