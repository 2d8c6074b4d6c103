/** `toolway records show`: one record in full, why its call failed, and what was sent where that is kept. */
import { toEvent } from '../../admin/audit.ts'
import { openedPayload, type OpenedPayload } from '../../call/payload.ts'
import { recordChange } from '../../records/change.ts'
import { findPayload } from '../../records/payloads.ts'
import { findRecords } from '../../records/query.ts'
import { payloadRow } from '../../vault/sealed-columns.ts'
import { ownActor } from '../own-actor.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { withChain, type Chained } from './records.ts'

export interface Showing {
  readonly organization: string
  readonly id: string
  readonly payload: boolean
}

export const show = (asked: Showing, output: Output): Promise<number> =>
  withChain(asked.organization, async (opened) => {
    const { db, chain } = opened
    const filter = { organization: chain, id: asked.id }
    const [row] = await db.system((sql) => findRecords(sql, filter, { limit: 1, offset: 0 }))
    if (row === undefined)
      throw new CommandFault(
        `There is no record ${asked.id} in ${asked.organization}: \`toolway records list\` shows them.`,
      )
    const { details, ...event } = toEvent(row)
    const payload = asked.payload ? await openPayload(opened, asked.id) : undefined
    output.result({ ...event, details, ...(payload === undefined ? {} : { payload }) }, [
      ...linesOf({ ...event, ...details }),
      ...(payload === undefined ? [] : ['', JSON.stringify(payload, undefined, 2)]),
    ])
    return EXIT.ok
  })

async function openPayload({ db, vault, organization, loaded }: Chained, id: string): Promise<OpenedPayload> {
  const days = loaded.config.TOOLWAY_PAYLOAD_DAYS
  const found = await db.organization(organization.id, (sql) => findPayload(sql, id, days))
  if (found === undefined)
    throw new CommandFault(`Nothing is kept of ${id}: its connection keeps no payloads, or its ${days} days are over.`)
  await db.organization(organization.id, (sql) =>
    recordChange(sql, ownActor(), organization.id, { action: 'record.payload', resource: 'record', id }),
  )
  return openedPayload(vault.open(found.sealed, payloadRow(id)), found.hash)
}

/** One fact a line; those that are absent are left out. */
function linesOf(facts: Readonly<Record<string, unknown>>): string[] {
  const { error, ...others } = facts
  const why = Object.entries(typeof error === 'object' && error !== null ? error : {})
  const shown = [...why.filter(([name]) => name !== 'by'), ...Object.entries(others)]
  return shown.flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    return [`${name.padEnd(16)} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`]
  })
}
