/**
 * Steps for connections. The gateway itself says in which members a connection would become another one, because only it can compare
 * secrets.
 */
import { firstLockOf } from '@toolway/contract'
import {
  addConnection,
  addOpenApi,
  changeConnection,
  compareConnection,
  refreshOpenApi,
  removeConnection,
  setToolLock,
  toggleConnection,
} from '@toolway/contract/admin'
import type { Declared, DeclaredConnection } from '../config-file.ts'
import { shownAddress } from '../kinds/addresses.ts'
import type { Act, Call } from './call.ts'
import type { Present, PresentConnection } from './present.ts'
import { refuseDeclared, type Step } from './steps.ts'
import { changeBody, connectorOf, documentOf, newBody } from './wanted-connection.ts'

export async function planConnections(
  call: Call,
  { slug, connections }: Declared,
  present: Present | undefined,
): Promise<ConnectionPlan> {
  const steps: Step[] = []
  const replaced = new Set<string>()
  for (const connection of connections) {
    const presentConnection = present?.connections.find(({ alias }) => alias === connection.alias)
    const step = { organization: slug, thing: 'connection', name: connection.alias } as const
    if (presentConnection === undefined)
      steps.push({ ...step, action: 'create', fields: [], ...creating(slug, connection) })
    else {
      const { fields, isReplaced, ...acts } = await changing(call, slug, connection, presentConnection)
      if (fields.length === 0) continue
      refuseDeclared('connection', connection.alias, presentConnection.origin)
      steps.push({ ...step, action: 'change', fields, ...acts })
      if (isReplaced) replaced.add(connection.alias)
    }
  }
  return { steps, replaced }
}

export interface ConnectionPlan {
  readonly steps: readonly Step[]
  /** Aliases of connections that are removed and made anew: their rules go with them. */
  readonly replaced: ReadonlySet<string>
}

/** A connection with rules of its own is switched on when they are there. */
function creating(organization: string, connection: DeclaredConnection): Pick<Step, 'acts' | 'after'> {
  const { alias, enabled, rules = [], trusted = false } = connection
  const first = firstLockOf(connectorOf(connection))
  const { lock = first } = connection
  const params = { organization, connection: alias }
  const isLater = enabled && rules.length > 0
  const operation = 'api' in connection.wire ? addOpenApi : addConnection
  const add = { operation, params: { organization }, body: { ...newBody(connection), enabled: enabled && !isLater } }
  return {
    acts: [add, ...(trusted || lock !== first ? [locking(params, lock, trusted)] : [])],
    after: isLater ? [{ operation: toggleConnection, params, body: { enabled: true } }] : [],
  }
}

const locking = (params: Record<string, string>, mode: string, trusted: boolean): Act => ({
  ...{ operation: setToolLock, params, body: { mode, trusted } },
})

interface Changing extends Pick<Step, 'acts' | 'after'> {
  readonly isReplaced: boolean
  readonly fields: readonly string[]
}

/** The address of a document as the gateway shows the one that it has: what is secret in it is not compared. */
const shown = (address: string | null): string | null => (address === null ? null : shownAddress(address))

async function changing(
  call: Call,
  organization: string,
  connection: DeclaredConnection,
  presentConnection: PresentConnection,
): Promise<Changing> {
  const params = { organization, connection: connection.alias }
  const connector = connectorOf(connection)
  const isOther = connector !== presentConnection.connector
  // Neither its kind nor the place of its document can be changed.
  if (isOther || shown(documentOf(connection)) !== shown(presentConnection.openapi?.document ?? null)) {
    const { acts, after = [] } = creating(organization, connection)
    const remove = { operation: removeConnection, params }
    return { fields: [isOther ? 'connector' : 'document'], acts: [remove, ...acts], after, isReplaced: true }
  }
  const body = changeBody(connection, presentConnection)
  const { fields } = await call(compareConnection, { params, body })
  const acts: Act[] = fields.length === 0 ? [] : [{ operation: changeConnection, params, body }]
  const all = [...fields]
  if (connection.text !== undefined && connection.text !== presentConnection.document) {
    all.push('document')
    acts.push({ operation: refreshOpenApi, params, body: { document: connection.text, apply: true } })
  }
  const { trusted = presentConnection.trusted, lock = presentConnection.lock } = connection
  if (trusted !== presentConnection.trusted) all.push('trusted')
  if (lock !== presentConnection.lock) all.push('lock')
  if (trusted !== presentConnection.trusted || lock !== presentConnection.lock)
    acts.push(locking(params, lock, trusted))
  return { fields: all, acts, isReplaced: false }
}
