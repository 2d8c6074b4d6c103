/** The operations on imports: several connections made in one transaction, and removed in one. */
import { Fault, runsHere, type ConnectionId, type ImportId, type OrganizationId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { z } from 'zod'
import { lockConnection, removeConnection, type ConnectionRow } from '../../connections/connections.ts'
import { addImport, listImported, undoLastImport, type ImportRow } from '../../connections/imports.ts'
import { listSpentAliases } from '../../connections/spent-aliases.ts'
import { switchAllTools, switchTools } from '../../connections/tool-states.ts'
import type { OrgSql } from '../../db/db.ts'
import type { ConnectionParts } from '../../kinds/kind.ts'
import { createAliasAllotment } from '../../lib/alias.ts'
import { MASK } from '@toolway/contract/secret-marks'
import { idsOf, type Ended } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { serveOrganization, type OrganizationRequest, type Served } from './serve.operations.ts'
import { reachKey } from './reach-key.ts'
import { permittedParts } from './permitted-parts.ts'
import { connectorOf, describe } from './describe-connection.ts'
import { secretsOf } from './connections.operations.ts'
import { createConnection } from './create-connection.ts'

type ImportRequest = OrganizationRequest<typeof shapes.importConnections>
type ImportEntry = z.output<typeof shapes.ImportedConnection>

interface Planned extends ConnectionParts {
  readonly wanted: ImportEntry
  readonly alias: string
  readonly exists: boolean
}

/** Throws as `addConnection` does; the place of what does not fit is one of the list. */
function partsOf(
  { role, organization, parts: { runtime } }: ImportRequest,
  { secret_args: secret = [], tools: _, ...entry }: ImportEntry,
  at: number,
) {
  try {
    const described = describe(connectorOf(entry), entry, undefined)
    return maskArguments(
      permittedParts({ role, organization, roots: runtime.roots }, described, {
        wanted: entry.private,
      }),
      new Set(secret),
    )
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.code !== 'body.shape') throw thrown
    const { place, problem } = thrown.facts
    throw new Fault('body.shape', { place: `/connections/${at}${String(place)}`, problem: String(problem) })
  }
}

/** Masks arguments that are known to be secrets, although they do not look like one. */
function maskArguments({ settings, secrets }: ConnectionParts, positions: ReadonlySet<number>): ConnectionParts {
  if (!runsHere(settings)) return { settings, secrets }
  const whole = secrets.args ?? settings.args
  const args = settings.args.map((arg, at) => (positions.has(at) && arg === whole[at] ? MASK : arg))
  if (args.every((arg, at) => arg === whole[at])) return { settings, secrets }
  return { settings: { ...settings, args }, secrets: { ...secrets, args: [...whole] } }
}

/** Aliases by what the connections of the organization reach; what cannot be opened cannot be compared. */
function reachedBy({ parts, organization }: ImportRequest): Map<string | undefined, string> {
  const rows = parts.snapshots.find({ id: organization.id })?.connections ?? []
  const keyOf = (row: ConnectionRow) => {
    try {
      return reachKey({ settings: row.settings, secrets: secretsOf(parts, row) })
    } catch {
      return undefined
    }
  }
  const reached = new Map(rows.map((row) => [keyOf(row), row.alias]))
  reached.delete(undefined)
  return reached
}

async function planOf(request: ImportRequest): Promise<Planned[]> {
  const reached = reachedBy(request)
  const taken = (request.parts.snapshots.find({ id: request.organization.id })?.connections ?? []).map(
    (connection) => connection.alias,
  )
  return request.read(async (sql) => {
    const plan: Planned[] = []
    for (const [at, value] of request.body.connections.entries()) {
      const parts = partsOf(request, value, at)
      const existing = reached.get(reachKey(parts))
      const spent = existing === undefined ? await listSpentAliases(sql, parts.settings) : []
      const alias = existing ?? createAliasAllotment([...taken, ...spent])(value.alias)
      taken.push(alias)
      plan.push({ ...parts, wanted: value, alias, exists: existing !== undefined })
    }
    return plan
  })
}

/** Before its server was ever asked, so that no list of it offers more than this. */
async function limitTools(
  sql: OrgSql,
  organizationId: OrganizationId,
  connectionId: ConnectionId,
  tools: ImportEntry['tools'],
): Promise<void> {
  if (tools === undefined) return
  const { only, except = [] } = tools
  if (only !== undefined) await switchAllTools(sql, connectionId, false)
  const names = [...new Set([...(only ?? []), ...except])]
  const switches = names.map((tool) => ({ tool, enabled: !except.includes(tool) }))
  if (switches.length > 0) await switchTools(sql, organizationId, connectionId, switches)
}

const importThem = serveOrganization(shapes.importConnections, async (request) => {
  const { change, parts, organization, body } = request
  const plan = await planOf(request)
  const fresh = plan.filter(({ exists }) => !exists)
  const items = plan.map(({ alias, exists }) => ({ alias, exists }))
  if (body.dry_run || fresh.length === 0) return { items }
  const aliases = fresh.map(({ alias }) => alias)
  await change(
    (id: ImportId) => ({ action: 'connection.import', resource: 'import', id, detail: { aliases } }),
    async (sql) => {
      const importId = await addImport(sql, { organizationId: organization.id, source: body.source, aliases })
      for (const { wanted, alias, settings, secrets } of fresh) {
        const { id } = await createConnection(
          sql,
          { organizationId: organization.id, vault: parts.vault },
          {
            ...{ alias, settings, secrets, importId, origin: 'import' },
            title: wanted.title ?? wanted.name ?? alias,
            description: wanted.description ?? null,
            enabled: wanted.enabled ?? wanted.is_enabled ?? true,
          },
        )
        await limitTools(sql, organization.id, id, wanted.tools)
      }
      return importId
    },
  )
  await parts.snapshots.refresh(organization.id)
  return { items }
})

interface Undone extends ImportRow {
  readonly aliases: string[]
  readonly ended: Ended[]
}

const undo = serveOrganization(shapes.undoImport, async ({ change, parts, organization }) => {
  const { source, aliases, ended } = await change(
    ({ id, aliases: removed, ended: all }: Undone) => ({
      action: 'connection.import-undo',
      resource: 'import',
      id,
      detail: { aliases: removed, ...(all.length === 0 ? {} : { credentials: idsOf(all) }) },
    }),
    async (sql): Promise<Undone> => {
      const last = await undoLastImport(sql)
      if (last === undefined) throw new Fault('thing.unknown', { thing: 'import' })
      const undone: Undone = { ...last, aliases: [], ended: [] }
      for (const id of await listImported(sql, last.id)) {
        const connection = await lockConnection(sql, id)
        if (connection === undefined) continue
        undone.ended.push(...(await parts.credentials.endIn(sql, { connectionId: connection.id })))
        await removeConnection(sql, connection.alias)
        undone.aliases.push(connection.alias)
      }
      return undone
    },
  )
  void parts.credentials.ended(organization.id, ended)
  await parts.snapshots.refresh(organization.id)
  return { source, aliases }
})

export const importOperations: readonly Served[] = [importThem, undo]
