/** The operations on all tools of an organization, and on what a caller of it is listed. */
import { Fault, type ConnectionId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import type { ListAsked } from '../../call/list-preview.ts'
import { switchTools, type Switch } from '../../connections/tool-states.ts'
import { principalOf } from '../../identity/identify.ts'
import { findKeyNamed } from '../../identity/keys/keys.ts'
import { OPERATOR, type Principal } from '../../identity/principal.ts'
import { pageFrom } from '../../lib/page.ts'
import { findMemberByEmail } from '../../organizations/members.ts'
import { serveOrganization, type OrganizationRequest, type Served, snapshotOf } from './serve.operations.ts'
import { findOrganizationTool, toListed } from './organization-tools.ts'
import { toolPickOperations } from './pick-tools.operations.ts'
import { costOfAll, findIndexed, fitsFilter, toolIndexOf, type ToolIndex } from './tool-index.ts'

const list = serveOrganization(shapes.listAllTools, async (request) => {
  const { query } = request
  const index = await toolIndexOf(snapshotOf(request))
  const found = await findIndexed(index.sortedBy(query.sort), fitsFilter(query))
  return {
    ...pageFrom(found, query, toListed),
    tokens: costOfAll(found),
    all: index.all.length,
    all_tokens: index.tokens,
  }
})

const get = serveOrganization(shapes.getToolInFull, (request) =>
  findOrganizationTool(snapshotOf(request), request.params['tool'] ?? ''),
)

/** By connection. Throws `thing.unknown` for what no connection has: a switch that moves nothing would look like one that does. */
function switchesOf({ all }: ToolIndex, switches: WantedSwitches): ReadonlyMap<ConnectionId, Switch[]> {
  const ids = new Map(
    all.flatMap(
      ({ tool: { connection, alias } }) =>
        [
          [connection, connection],
          [alias, connection],
        ] as const,
    ),
  )
  const names = new Set(all.map(({ tool: { connection, name } }) => `${connection} ${name}`))
  const byConnection = new Map<ConnectionId, Map<string, Switch>>()
  for (const { connection, name, enabled } of switches) {
    const id = ids.get(connection) as ConnectionId | undefined
    if (id === undefined || !names.has(`${id} ${name}`)) throw new Fault('thing.unknown', { thing: 'tool' })
    const own = byConnection.get(id) ?? new Map<string, Switch>()
    // The last word about a tool holds.
    byConnection.set(id, own.set(name, { tool: name, enabled }))
  }
  return new Map(Array.from(byConnection, ([id, own]) => [id, [...own.values()]]))
}
type WantedSwitches = readonly { readonly connection: string; readonly name: string; readonly enabled: boolean }[]

const switchAll = serveOrganization(shapes.switchAllTools, async (request) => {
  const { change, parts, organization, body } = request
  const known = await toolIndexOf(snapshotOf(request))
  const switches = switchesOf(known, body.tools)
  const joined = new Map(known.all.map(({ tool }) => [`${tool.connection} ${tool.name}`, tool.joined_name]))
  const namesSwitched = (on: boolean) =>
    [...switches].flatMap(([id, own]) =>
      own.filter(({ enabled }) => enabled === on).map(({ tool }) => joined.get(`${id} ${tool}`) ?? tool),
    )
  await change(
    () => ({
      action: 'tool.bulk-update',
      resource: 'organization',
      id: organization.id,
      detail: { enabled: namesSwitched(true), disabled: namesSwitched(false) },
    }),
    async (sql) => {
      for (const [id, own] of switches) await switchTools(sql, organization.id, id, own)
    },
  )
  await parts.snapshots.refresh(organization.id)
  return { changed: [...switches.values()].flat().length }
})

/**
 * Only who belongs to this organization: members and keys are looked up in it, and somebody of a role is nobody else. Throws
 * `thing.unknown`.
 */
async function callerOf(
  sql: OrgSql,
  { principal, organization, body }: OrganizationRequest<typeof shapes.previewList>,
): Promise<Principal> {
  const { as, key: keyName, role } = body
  const somebody = { ...OPERATOR, kind: 'user', organizationId: organization.id } as const
  if (role !== undefined) return { ...somebody, id: 'somebody', role }
  if (as !== undefined) {
    const member = await findMemberByEmail(sql, as)
    if (member === undefined) throw new Fault('thing.unknown', { thing: 'member' })
    return { ...somebody, id: member.user_id, userId: member.user_id }
  }
  if (keyName === undefined) return principal
  const key = await findKeyNamed(sql, keyName)
  if (key === undefined) throw new Fault('thing.unknown', { thing: 'key' })
  return principalOf(key)
}

const preview = serveOrganization(shapes.previewList, async (request) => {
  const { parts, organization, body, read } = request
  const { toolset, connection, revision, client } = body
  const listRequest: ListAsked = {
    principal: await read((sql) => callerOf(sql, request)),
    place: {
      organization: organization.slug,
      ...(toolset === undefined ? {} : { toolset }),
      ...(connection === undefined ? {} : { connection }),
    },
    revision,
    client,
  }
  const { refused, role, mayCall, discovery, pages, tokens, firstTokens, exceeds } = parts.previewList(listRequest)
  const tools = pages.flat()
  return {
    refused: refused === undefined ? null : { code: refused.code, message: refused.message, mend: refused.mend },
    role: role ?? null,
    may_call: mayCall,
    discovery,
    tools,
    pages: pages.length,
    bytes: Buffer.byteLength(JSON.stringify(tools)),
    tokens,
    first_page: { tools: pages[0]?.length ?? 0, tokens: firstTokens },
    exceeds: [...exceeds],
  }
})

export const organizationToolOperations: readonly Served[] = [list, get, switchAll, preview, ...toolPickOperations]
