/** The operations on rules of the platform (ledger S3-POLY-01, -03). */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { listPlatformRules, type PlatformRuleRow } from '../../policy/stored/platform-rules.ts'
import { tagOf } from '../../lib/entity-tag.ts'
import { pageFrom } from '../../lib/page.ts'
import { operationServers, type OperationBase, type OperationCall, type Served } from '../../operations/serve.ts'
import { idlePatterns, knownPlaces, refuseIdle, type KnownPlace } from './idle-patterns.ts'
import { changeOf, toPlatformRule, writeEach } from './rule-words.ts'
import {
  erasePlatformRule,
  rewritePlatformRule,
  writePlatformRule,
  writtenOfPlatformRule,
} from './write-platform-rules.ts'

/** The parts that operations on rules of the platform work with. */
export interface RuleParts extends OperationBase {
  readonly rules: {
    /** Have every organization see the rules as they are now. */
    refresh(): Promise<void>
  }
}

const { servePlatform } = operationServers<RuleParts>()

const changeFor = (action: shapes.AuditAction) => (row: PlatformRuleRow) =>
  changeOf(action, row.id, 'platform', undefined, writtenOfPlatformRule(row))

const responseOf = (row: PlatformRuleRow, head: OperationCall['head']): shapes.KeptRule => {
  head.set('etag', tagOf(row.updated_at))
  return toPlatformRule(row)
}

/** The organizations that the rules speak of. */
function placesOf(
  { snapshots }: Pick<OperationBase, 'snapshots'>,
  rules: readonly { readonly match?: unknown }[],
): Promise<readonly KnownPlace[]> {
  const named = rules.map(({ match }) => (match as { readonly organizations?: unknown } | undefined)?.organizations)
  const isMeant = ({ organization: { slug } }: Snapshot) =>
    named.some((slugs) => !Array.isArray(slugs) || slugs.includes(slug))
  return knownPlaces(snapshots.all().filter(isMeant))
}

export const platformRuleOperations: readonly Served<RuleParts>[] = [
  servePlatform(shapes.listPlatformRules, async ({ read, query }) => {
    const { action, state } = query
    // Read whole: MOST_RULES bounds them where they are written.
    const found = (await read(listPlatformRules)).filter(
      (row) => (action === undefined || row.action === action) && (state === undefined || row.state === state),
    )
    return pageFrom(found, query, toPlatformRule)
  }),

  servePlatform(shapes.addPlatformRule, async ({ change, parts, principal, body, head, origin, query }) => {
    const places = query.force === true ? [] : await placesOf(parts, [body])
    const row = await change(changeFor('rule.add'), async (sql) => {
      const written = await writePlatformRule(sql, body, { origin, createdBy: principal.id })
      refuseIdle(places, [body])
      return written
    })
    await parts.rules.refresh()
    return responseOf(row, head)
  }),

  servePlatform(shapes.addPlatformRules, async ({ change, parts, principal, body, origin, query }) => {
    const writing = { origin, createdBy: principal.id }
    const places = await placesOf(parts, body.rules)
    const rows = await change(
      (all: readonly PlatformRuleRow[]) => all.map(changeFor('rule.add')),
      async (sql) => {
        const written = await writeEach(body.rules, (words) => writePlatformRule(sql, words, writing))
        if (query.force !== true) refuseIdle(places, body.rules)
        return written
      },
    )
    await parts.rules.refresh()
    const idle = idlePatterns(places, body.rules)
    return { items: rows.map(toPlatformRule), idle: idle.map(({ pattern }) => pattern) }
  }),

  servePlatform(shapes.getPlatformRule, async ({ read, params, head }) => {
    const row = (await read(listPlatformRules)).find(({ id }) => id === params['rule'])
    if (row === undefined) throw new Fault('thing.unknown', { thing: 'rule' })
    return responseOf(row, head)
  }),

  servePlatform(
    shapes.changePlatformRule,
    async ({ change, read, parts, params, body, head, origin, ifMatch, query }) => {
      const before = (await read(listPlatformRules)).find(({ id }) => id === params['rule'])
      const isCompared = query.force !== true && body.match !== undefined
      const places = isCompared ? await placesOf(parts, [body]) : []
      const row = await change(changeFor('rule.change'), async (sql) => {
        const written = await rewritePlatformRule(sql, params['rule'] ?? '', body, { origin, ifMatch })
        refuseIdle(places, [toPlatformRule(written)], before && [toPlatformRule(before)])
        return written
      })
      await parts.rules.refresh()
      return responseOf(row, head)
    },
  ),

  servePlatform(shapes.removePlatformRule, async ({ change, parts, params, origin, ifMatch }) => {
    await change(changeFor('rule.remove'), (sql) => erasePlatformRule(sql, params['rule'] ?? '', { origin, ifMatch }))
    await parts.rules.refresh()
    return undefined
  }),
]
