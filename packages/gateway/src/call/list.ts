/** Lists, from what is known in memory: no upstream is asked, and a dead one takes nothing from anybody's list. */
import { Fault, type ConnectionId } from '@toolway/contract'
import { adaptResult, APPS, declares, type Asked, type JsonObject } from '@toolway/protocol'
import { nameAccounts } from '../catalog/account-choice.ts'
import { pageOf, type Signer } from '../catalog/page.ts'
import type { ListKind } from '../catalog/view.ts'
import { ruledFor } from './policy/judge.ts'
import type { Answer, Standing } from './ports.ts'

interface Listable {
  readonly kind: ListKind
  /** The member of the result that holds the list, and the member of an item that names it. */
  readonly member: string
  readonly name: string
}

export const LISTS: Readonly<Record<string, Listable>> = {
  'tools/list': { kind: 'tools', member: 'tools', name: 'name' },
  'prompts/list': { kind: 'prompts', member: 'prompts', name: 'name' },
  'resources/list': { kind: 'resources', member: 'resources', name: 'uri' },
  'resources/templates/list': { kind: 'templates', member: 'resourceTemplates', name: 'uriTemplate' },
}

export function list(standing: Standing, asked: Asked, signer: Signer): Answer {
  const listable = LISTS[asked.method]
  if (listable === undefined) throw new Fault('method.unknown', { method: asked.method })
  const { cursor } = asked.params
  if (cursor !== undefined && typeof cursor !== 'string') throw new Fault('cursor.unknown')
  const { revision, capabilities } = asked.caller
  const { items, nextCursor } = pageOf(standing.view.list(listable.kind, revision, declares(capabilities, APPS)), {
    cursor,
    scope: `${standing.owner} ${asked.method}`,
    member: listable.name,
    signer,
  })
  const client = asked.caller.client?.['name']
  const from = { client: typeof client === 'string' ? client : undefined }
  const own = listable.kind === 'tools' ? withAccounts(standing, ruledFor(standing, from, items)) : items
  const result: JsonObject = { [listable.member]: own as JsonObject[] }
  if (nextCursor !== undefined) result['nextCursor'] = nextCursor
  return { result: adaptResult(asked.method, result, { from: revision, to: revision }) }
}

/** Where a tool takes the name of an account, the caller reads which ones it has. */
function withAccounts(
  { view, credentials, principal, organizationId }: Standing,
  tools: readonly JsonObject[],
): readonly JsonObject[] {
  if (credentials === undefined || view.offered.every(({ chooses }) => chooses !== true)) return tools
  const accounts = new Map<ConnectionId, readonly string[]>()
  return tools.map((definition) => {
    const target = view.tool(String(definition['name']))
    if (target?.account === undefined) return definition
    const { connectionId } = target
    const own = accounts.get(connectionId) ?? credentials.accounts({ organizationId, connectionId, principal })
    accounts.set(connectionId, own)
    return own.length === 0 ? definition : nameAccounts(definition, target.account, own)
  })
}
