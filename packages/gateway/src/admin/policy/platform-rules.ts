/** The operations on rules of the platform (ledger S3-POLY-01, -03). */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { listPlatformRules, type PlatformRuleRow } from '../../policy/stored/platform-rules.ts'
import { tagOf } from '../entity-tag.ts'
import { pageFrom } from '../../lib/page.ts'
import { servePlatform, type OperationCall, type Served } from '../serve.ts'
import { changeOf, toPlatformRule, writeEach } from './rule-words.ts'
import { erasePlatformRule, rewritePlatformRule, writePlatformRule, writtenOfRow } from './write-platform-rules.ts'

const said = (action: string) => (row: PlatformRuleRow) =>
  changeOf(action, row.id, 'platform', undefined, writtenOfRow(row))

const told = (row: PlatformRuleRow, head: OperationCall['head']): shapes.KeptRule => {
  head.set('etag', tagOf(row.updated_at))
  return toPlatformRule(row)
}

export const platformRuleOperations: readonly Served[] = [
  servePlatform(shapes.listPlatformRules, async ({ look, query }) => {
    const { action, state } = query
    const found = (await look(listPlatformRules)).filter(
      (row) => (action === undefined || row.action === action) && (state === undefined || row.state === state),
    )
    return pageFrom(found, query, toPlatformRule)
  }),

  servePlatform(shapes.addPlatformRule, async ({ change, parts, principal, body, head, origin }) => {
    const row = await change(said('rule.add'), (sql) =>
      writePlatformRule(sql, body, { origin, createdBy: principal.id }),
    )
    await parts.rules.refresh()
    return told(row, head)
  }),

  servePlatform(shapes.addPlatformRules, async ({ change, parts, principal, body, origin }) => {
    const writing = { origin, createdBy: principal.id }
    const rows = await change(
      (all: readonly PlatformRuleRow[]) => all.map(said('rule.add')),
      (sql) => writeEach(body.rules, (words) => writePlatformRule(sql, words, writing)),
    )
    await parts.rules.refresh()
    return { items: rows.map(toPlatformRule) }
  }),

  servePlatform(shapes.getPlatformRule, async ({ look, params, head }) => {
    const row = (await look(listPlatformRules)).find(({ id }) => id === params['rule'])
    if (row === undefined) throw new Fault('thing.unknown', { thing: 'rule' })
    return told(row, head)
  }),

  servePlatform(shapes.changePlatformRule, async ({ change, parts, params, body, head, ifMatch }) => {
    const row = await change(said('rule.change'), (sql) =>
      rewritePlatformRule(sql, params['rule'] ?? '', body, ifMatch),
    )
    await parts.rules.refresh()
    return told(row, head)
  }),

  servePlatform(shapes.removePlatformRule, async ({ change, parts, params, ifMatch }) => {
    await change(said('rule.remove'), (sql) => erasePlatformRule(sql, params['rule'] ?? '', ifMatch))
    await parts.rules.refresh()
    return undefined
  }),
]
