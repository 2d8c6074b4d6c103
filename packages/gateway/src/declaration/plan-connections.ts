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
  for (const one of connections) {
    const held = present?.connections.find(({ alias }) => alias === one.alias)
    const step = { organization: slug, thing: 'connection', name: one.alias } as const
    if (held === undefined) steps.push({ ...step, action: 'create', fields: [], ...creating(slug, one) })
    else {
      const { fields, isReplaced, ...acts } = await changing(call, slug, one, held)
      if (fields.length === 0) continue
      refuseDeclared('connection', one.alias, held.origin)
      steps.push({ ...step, action: 'change', fields, ...acts })
      if (isReplaced) replaced.add(one.alias)
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
function creating(organization: string, one: DeclaredConnection): Pick<Step, 'acts' | 'after'> {
  const { alias, enabled, rules = [], trusted = false } = one
  const first = firstLockOf(connectorOf(one))
  const { lock = first } = one
  const params = { organization, connection: alias }
  const isLater = enabled && rules.length > 0
  const operation = 'api' in one.wire ? addOpenApi : addConnection
  const add = { operation, params: { organization }, body: { ...newBody(one), enabled: enabled && !isLater } }
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
  one: DeclaredConnection,
  held: PresentConnection,
): Promise<Changing> {
  const params = { organization, connection: one.alias }
  const connector = connectorOf(one)
  const isOther = connector !== held.connector
  // Neither its kind nor the place of its document can be changed.
  if (isOther || shown(documentOf(one)) !== shown(held.openapi?.document ?? null)) {
    const { acts, after = [] } = creating(organization, one)
    const remove = { operation: removeConnection, params }
    return { fields: [isOther ? 'connector' : 'document'], acts: [remove, ...acts], after, isReplaced: true }
  }
  const body = changeBody(one, held)
  const { fields } = await call(compareConnection, { params, body })
  const acts: Act[] = fields.length === 0 ? [] : [{ operation: changeConnection, params, body }]
  const all = [...fields]
  if (one.text !== undefined && one.text !== held.document) {
    all.push('document')
    acts.push({ operation: refreshOpenApi, params, body: { document: one.text, apply: true } })
  }
  const { trusted = held.trusted, lock = held.lock } = one
  if (trusted !== held.trusted) all.push('trusted')
  if (lock !== held.lock) all.push('lock')
  if (trusted !== held.trusted || lock !== held.lock) acts.push(locking(params, lock, trusted))
  return { fields: all, acts, isReplaced: false }
}
