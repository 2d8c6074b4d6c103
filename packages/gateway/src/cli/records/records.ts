/** `toolway records list|redact|prune`: look through what is on record, and let go of what may not stay. */
import { join } from 'node:path'
import { CHECKPOINTS, createKeepCheckpoints } from '../../jobs/keep-checkpoints.ts'
import { createKeptCheckpoints } from '../../records/chain/kept-checkpoints.ts'
import { REDACTABLE, type Redactable } from '../../records/chain/leaf.ts'
import { countRecords, findRecords } from '../../records/query.ts'
import { PLATFORM } from '../../records/records.ts'
import { redactRecord } from '../../records/redact.ts'
import { ForeignCheckpoint, prune as pruneChain } from '../../records/retention.ts'
import { toEvent } from '../../admin/audit.ts'
import { DEFAULT_SLUG } from '../../organizations/organizations.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import { withStore, type Opened } from '../store.ts'
import { ownActor } from '../own-actor.ts'

export interface Chained extends Opened {
  /** Whose chain: an organization's id, or the platform's. */
  readonly chain: string
}

/** `platform` names the records that belong to no organization. */
export const withChain = <T>(slug: string, work: (opened: Chained) => Promise<T>): Promise<T> =>
  withStore(slug === PLATFORM ? DEFAULT_SLUG : slug, (opened) =>
    work({ ...opened, chain: slug === PLATFORM ? PLATFORM : opened.organization.id }),
  )

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** The signing of checkpoints, as the running gateway does it. */
export const checkpointsOf = ({ db, vault, loaded }: Opened) =>
  createKeepCheckpoints({
    db,
    vault,
    kept: createKeptCheckpoints(join(loaded.config.TOOLWAY_DATA, CHECKPOINTS)),
    log: SILENT,
    now: Date.now,
    minutes: loaded.config.TOOLWAY_CHECKPOINT_MINUTES,
    days: undefined,
  })

export interface Listing {
  readonly organization: string
  readonly action?: string
  readonly actor?: string
  readonly outcome?: string
  readonly start?: string
  readonly end?: string
  readonly limit: number
  readonly offset: number
}

export const list = (asked: Listing, output: Output): Promise<number> =>
  withChain(asked.organization, async ({ db, chain }) => {
    const { action, actor, outcome, limit, offset } = asked
    const [start, end] = [momentOf(asked.start), momentOf(asked.end)]
    const filter = { organization: chain, action, actor, outcome, start, end }
    const [rows, total] = await db.system(
      async (sql) => [await findRecords(sql, filter, { limit, offset }), await countRecords(sql, filter)] as const,
    )
    const events = rows.map(toEvent)
    output.result({ items: events, total, limit, offset }, [
      ...table(
        ['SEQ', 'TIME', 'ACTOR', 'ACTION', 'ON', 'OUTCOME', 'FROM', 'ID'],
        events.map((event) => [
          String(event.seq),
          event.timestamp,
          event.actor_id,
          event.action,
          event.resource_id ?? '',
          event.code ?? event.outcome,
          event.ip_address ?? '',
          event.id,
        ]),
      ),
      `${events.length} of ${total}`,
    ])
    return EXIT.ok
  })

export interface Redacting {
  readonly organization: string
  readonly id: string
  readonly fields: readonly string[]
  readonly reason: string
}

export const redact = ({ organization, id, fields, reason }: Redacting, output: Output): Promise<number> =>
  withChain(organization, async ({ db, chain }) => {
    const strange = fields.find((name) => !REDACTABLE.includes(name as Redactable))
    if (strange !== undefined || fields.length === 0)
      throw new CommandFault(`Name the fields with --field, each one of ${REDACTABLE.join(', ')}.`, EXIT.usage)
    if (reason.trim() === '') throw new CommandFault('A redaction needs a reason: --reason TEXT.', EXIT.usage)
    const redaction = { id, fields: fields as Redactable[], reason }
    const taken = await db.system((sql) => redactRecord(sql, ownActor(), chain, redaction))
    if (taken === 0)
      throw new CommandFault(
        `There is no record ${id} in ${organization} that has a value in ${fields.join(', ')}: \`toolway records list\` shows them.`,
      )
    output.result({ redacted: id, fields: taken }, [
      `Took ${taken} ${taken === 1 ? 'value' : 'values'} out of ${id}. Log files, backups and exports of before still have them.`,
    ])
    return EXIT.ok
  })

export const prune = (organization: string, before: string, output: Output): Promise<number> =>
  withChain(organization, async (opened) => {
    const { db, chain } = opened
    const moment = new Date(momentOf(before) ?? '')
    const checkpoints = checkpointsOf(opened)
    await checkpoints.sign(chain)
    await checkpoints.close()
    const pruning = {
      actor: ownActor(),
      organization: chain,
      before: moment,
      signers: await checkpoints.fingerprints(),
    }
    const removed = await db
      .system((sql) => pruneChain(sql, pruning))
      .catch((thrown: unknown) => {
        throw thrown instanceof ForeignCheckpoint ? new CommandFault(thrown.message) : thrown
      })
    output.result({ removed }, [
      removed === 0
        ? 'Nothing was removed: no checkpoint stands behind older records and before the first that stays.'
        : `Removed ${removed} records; the chain now begins at a signed checkpoint.`,
    ])
    return EXIT.ok
  })

/** Throws for what is no moment; a day is its beginning in UTC. */
function momentOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime()))
    throw new CommandFault(`"${text}" is no moment: write it as 2026-11-20 or 2026-11-20T10:00:00Z.`, EXIT.usage)
  return moment.toISOString()
}
