/** The operations on the tools of a connection (ledger S3-ADM-03): which there are, which are on, and what they are now. */
import { Fault, shownEffectOf, type ConnectionId, type Effect, type OrganizationId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { principalFacts } from '../../snapshot/role.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { sayEffect, switchAllTools, switchTools } from '../../connections/tool-states.ts'
import { forecastApprovals } from './approval-forecast.ts'
import { statesFor } from './connections.operations.ts'
import { describeTools } from './describe-tools.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { pageFrom } from '../../lib/page.ts'
import {
  serveOrganization,
  type ConnectionOperationParts,
  type OrganizationRequest,
  type Served,
} from './serve.operations.ts'
import type { Operation } from '@toolway/contract/admin'

interface Subject {
  readonly snapshot: Snapshot
  readonly connection: ConnectionRow
}

/** Throws `thing.unknown`. */
function subjectOf(parts: ConnectionOperationParts, organizationId: OrganizationId, name: string): Subject {
  const connection = findConnectionOf(parts, organizationId, name)
  const snapshot = parts.snapshots.find({ id: organizationId })
  if (snapshot === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
  return { snapshot, connection }
}

const subject = ({
  parts,
  organization,
  params,
}: Pick<OrganizationRequest<Operation>, 'parts' | 'organization' | 'params'>) =>
  subjectOf(parts, organization.id, params['connection'] ?? '')

/** Every tool that the server offered last, as it stands here. */
const toolsOf = ({ snapshot, connection }: Subject): shapes.Tool[] =>
  Array.from(describeTools(snapshot)(connection), ({ tool }) => tool)

const counts = (tools: readonly shapes.Tool[]) => {
  const enabled = tools.filter((tool) => tool.enabled).length
  return { enabled, disabled: tools.length - enabled }
}

type Listing = OrganizationRequest<typeof shapes.listTools>

function pageOf(request: Pick<Listing, 'parts' | 'organization' | 'params' | 'query'>) {
  const { effect, enabled } = request.query
  const search = request.query.search?.trim().toLowerCase()
  const found = toolsOf(subject(request)).filter(
    (tool) =>
      (enabled === undefined || tool.enabled === enabled) &&
      (effect === undefined || shownEffectOf(tool) === effect) &&
      (search === undefined ||
        [tool.joined_name, tool.title, tool.description].some((text) => text?.toLowerCase().includes(search) === true)),
  )
  const by: Record<string, number> = {}
  for (const tool of found) by[shownEffectOf(tool)] = (by[shownEffectOf(tool)] ?? 0) + 1
  return { ...pageFrom(found, request.query, (tool) => tool), by_effect: by }
}

/** Throws `thing.unknown` for a name that the server does not offer: a switch that moves nothing would look like one that does. */
function refuseUnknown(tools: readonly shapes.Tool[], requested: readonly { readonly tool: string }[]): void {
  const names = new Set(tools.map(({ name }) => name))
  if (requested.some(({ tool }) => !names.has(tool))) throw new Fault('thing.unknown', { thing: 'tool' })
}

interface ToolChange {
  readonly enabled?: boolean
  /** Null: no word of ours any more. */
  readonly effect?: Effect | null
}

function wantedIn(body: OrganizationRequest<typeof shapes.toggleTool>['body']): ToolChange {
  if ('is_enabled' in body) return { enabled: body.is_enabled }
  const { effect } = body
  return {
    ...('enabled' in body ? { enabled: body.enabled } : {}),
    ...(effect === undefined ? {} : { effect }),
  }
}

const toggle = serveOrganization(shapes.toggleTool, async (request) => {
  const { change, parts, organization, principal, body, params } = request
  const before = subject(request)
  const { id, alias } = before.connection
  const toolChange = { tool: params['tool'] ?? '', ...wantedIn(body) }
  refuseUnknown(toolsOf(before), [toolChange])
  await change(
    () => ({
      action: toolChange.enabled === undefined ? 'tool.effect' : 'tool.toggle',
      resource: 'tool',
      id: `${alias}/${toolChange.tool}`,
      detail: { ...wantedIn(body) },
    }),
    async (sql) => {
      const { tool, enabled, effect } = toolChange
      if (enabled !== undefined) await switchTools(sql, organization.id, id, [{ tool, enabled }])
      if (effect !== undefined) await sayEffect(sql, organization.id, id, { tool, effect, by: principal.id })
    },
  )
  await parts.snapshots.refresh(organization.id, { table: 'tool_states', ids: [id] })
  const tool = toolsOf(subjectOf(parts, organization.id, id)).find(({ name }) => name === toolChange.tool)
  if (tool === undefined) throw new Fault('thing.unknown', { thing: 'tool' })
  return tool
})

const bulk = serveOrganization(shapes.switchTools, async (request) => {
  const { change, parts, organization, body } = request
  const before = subject(request)
  const { id } = before.connection
  const listed =
    'tools' in body
      ? body.tools.map(({ name, enabled }) => ({ tool: name, enabled }))
      : body.updates.map(({ tool_name: tool, is_enabled: enabled }) => ({ tool, enabled }))
  // The last word about a tool holds.
  const toolChanges = [...new Map(listed.map((item) => [item.tool, item])).values()]
  refuseUnknown(toolsOf(before), toolChanges)
  const namesSwitched = (on: boolean) => toolChanges.filter(({ enabled }) => enabled === on).map(({ tool }) => tool)
  await change(
    () => ({
      action: 'tool.bulk-update',
      resource: 'connection',
      id,
      detail: { enabled: namesSwitched(true), disabled: namesSwitched(false) },
    }),
    (sql) => switchTools(sql, organization.id, id, toolChanges),
  )
  await parts.snapshots.refresh(organization.id, { table: 'tool_states', ids: [id] })
  return { changed: toolChanges.length, ...counts(toolsOf(subjectOf(parts, organization.id, id))) }
})

const switchAll = (operation: typeof shapes.enableAllTools, enabled: boolean): Served =>
  serveOrganization(operation, async (request) => {
    const { change, parts, organization } = request
    const before = subject(request)
    const { id } = before.connection
    const changed = toolsOf(before).filter((tool) => tool.enabled !== enabled).length
    await change(
      () => ({ action: enabled ? 'tool.enable-all' : 'tool.disable-all', resource: 'connection', id }),
      (sql) => switchAllTools(sql, id, enabled),
    )
    // The connection says it for tools to come, and the rows of single tools go.
    await parts.snapshots.refresh(organization.id)
    return { changed, ...counts(toolsOf(subjectOf(parts, organization.id, id))) }
  })

/** Its server responds, and still no call can succeed: nobody has an account there, or it was refused. */
async function findLack(
  request: OrganizationRequest<typeof shapes.syncTools>,
  id: ConnectionId,
): Promise<Fault | undefined> {
  const { connection } = subject(request)
  // The state in memory may be that of the contact before.
  const responded = { ...connection, status: 'connected', status_reason: null } as const
  const { needs, people, reason } = (await statesFor(request)).of(responded)
  if (connection.id !== id || needs === null || (people?.connected ?? 0) > 0) return undefined
  return new Fault('connection.needs', { connection: connection.alias, problem: reason ?? needs })
}

const sync = serveOrganization(shapes.syncTools, async (request) => {
  const { change, parts, organization, role } = request
  const { id } = subject(request).connection
  const fault = (await parts.sync(organization.id, id)) ?? (await findLack(request, id))
  await change(
    () => ({
      action: 'tool.sync',
      resource: 'connection',
      id,
      outcome: fault === undefined ? ('ok' as const) : ('failed' as const),
      ...(fault === undefined ? {} : { code: fault.code }),
    }),
    () => Promise.resolve(),
  )
  const catalog = parts.snapshots.find({ id: organization.id })?.catalogs.get(id)
  return {
    ok: fault === undefined,
    revision: catalog?.revision ?? null,
    server: catalog?.server?.server ?? null,
    tools: catalog?.tools?.length ?? 0,
    resources: catalog?.resources?.length ?? 0,
    prompts: catalog?.prompts?.length ?? 0,
    failure:
      fault === undefined
        ? null
        : {
            ...{ phase: fault.row.phase, code: fault.code, problem: fault.message, mend: fault.mend },
            cause: role === 'platform_admin' ? causeOf(fault) : null,
          },
  }
})

/**
 * Returns the root cause of a fault where it says more than the fault. It may contain addresses and program output, which only
 * operators may read.
 */
function causeOf(fault: Fault): string | null {
  let root: Error = fault
  while (root.cause instanceof Error) root = root.cause
  // A connection that was tried at several addresses fails with all of them and no words of its own.
  const text = root instanceof AggregateError && root.message === '' ? String(root.errors[0]) : root.message
  return root === fault || text === '' || fault.message.includes(text) ? null : text
}

/** For the caller who asks: rules may differ by caller. */
const forecast = serveOrganization(shapes.getApprovalForecast, (request) => {
  const { snapshot, connection } = subject(request)
  const { parts, principal, role } = request
  const facts = principalFacts(parts.accounts, principal, role, snapshot.groupsOf(principal.userId))
  return forecastApprovals(snapshot, connection, facts)
})

export const toolOperations: readonly Served[] = [
  serveOrganization(shapes.listTools, (request) => pageOf(request)),
  serveOrganization(shapes.listToolsOfConnection, (request) => pageOf(request)),
  toggle,
  bulk,
  switchAll(shapes.enableAllTools, true),
  switchAll(shapes.disableAllTools, false),
  sync,
  forecast,
]
