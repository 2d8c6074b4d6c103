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
  setToolLock,
  toggleConnection,
} from '@toolway/contract/admin'
import type { Act, Call } from './call.ts'
import type { Declared, DeclaredConnection } from './declared.ts'
import type { KnownConnection, KnownContent } from './present.ts'
import type { Step, PlanMode } from './steps.ts'
import { changeBody, connectorOf, newBody } from './wanted-connection.ts'

export async function planConnections(
  call: Call,
  way: PlanMode,
  { slug, connections }: Declared,
  present: KnownContent | undefined,
): Promise<Step[]> {
  const stored = new Map(present?.connections.map((connection) => [connection.alias, connection]))
  const steps: Step[] = []
  for (const connection of connections) {
    const { alias } = connection
    const presentConnection = stored.get(alias)
    const step = { organization: slug, thing: 'connection', name: alias } as const
    if (presentConnection === undefined)
      steps.push({ ...step, action: 'create', fields: [], ...creating(slug, connection) })
    else {
      const { fields, acts } = await planChange(call, slug, connection, presentConnection)
      way.refuse({ thing: 'connection', name: alias, origin: presentConnection.origin, fields })
      if (fields.length > 0) steps.push({ ...step, action: 'change', fields, acts })
    }
  }
  return steps
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
    acts: [add, ...(trusted || lock !== first ? [lockAct(params, lock, trusted)] : [])],
    after: isLater ? [{ operation: toggleConnection, params, body: { enabled: true } }] : [],
  }
}

const lockAct = (params: Record<string, string>, mode: string, trusted: boolean): Act => ({
  ...{ operation: setToolLock, params, body: { mode, trusted } },
})

async function planChange(
  call: Call,
  organization: string,
  connection: DeclaredConnection,
  present: KnownConnection,
): Promise<Pick<Step, 'fields' | 'acts'>> {
  const params = { organization, connection: connection.alias }
  const body = changeBody(connection, present)
  const { fields } = await call(compareConnection, { params, body })
  const acts: Act[] = fields.length === 0 ? [] : [{ operation: changeConnection, params, body }]
  const all = [...fields]
  if (connection.text !== undefined && connection.text !== present.document) {
    all.push('document')
    acts.push({ operation: refreshOpenApi, params, body: { document: connection.text, apply: true } })
  }
  // Another kind begins untrusted, whatever is there now.
  const isOtherKind = connectorOf(connection) !== present.connector
  const { trusted = isOtherKind ? false : present.trusted, lock = present.lock } = connection
  if (trusted !== present.trusted) all.push('trusted')
  if (lock !== present.lock) all.push('lock')
  const isSet = connection.trusted !== undefined || connection.lock !== undefined
  if (isOtherKind ? isSet : trusted !== present.trusted || lock !== present.lock)
    acts.push(lockAct(params, lock, trusted))
  return { fields: [...new Set(all)], acts }
}
