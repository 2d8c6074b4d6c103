/** `toolway records …`: look through the audit log, take it away with its proof, check it, redact and prune it. */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import {
  listAudit,
  listOrganizationAudit,
  pruneRecords,
  REDACTABLE,
  redactRecord,
  type AuditEvent,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { CommandFault, EXIT, table, type Output } from '../../cli/terminal/output.ts'
import { Refusal, type Transport } from '../../cli/transport/transport.ts'
import { createActorNames } from './actor-names.command.ts'
import { exportRecords } from './export.command.ts'
import { levels } from './levels.command.ts'
import { isPlatform, momentOf, OUTCOMES, PLATFORM, wholeNumberOption, type OfChain } from './of-chain.command.ts'
import { show } from './show.command.ts'
import { usage } from './usage.command.ts'
import { verify } from './verify.command.ts'

interface Listing extends OfChain {
  readonly action?: string
  readonly actor?: string
  readonly outcome?: (typeof OUTCOMES)[number]
  readonly start?: string
  readonly end?: string
  readonly limit: number
  readonly offset: number
  readonly cursor?: string
  readonly wide?: boolean
}

async function listRecords(transport: Transport, words: Listing, { json }: Output) {
  const page = await pageOf(transport, words)
  const names = createActorNames(transport, words)
  if (!json) await names.lookUp(page.items.map(({ actor_id: id }) => id))
  return { page, nameOf: names.nameOf }
}

function pageOf({ call }: Transport, words: Listing) {
  const { organization, action, actor: actor_id, outcome, limit, offset, cursor } = words
  const [start, end] = [momentOf(words.start), momentOf(words.end)]
  const query = { action, actor_id, outcome, start, end, limit, offset, cursor }
  return isPlatform(words)
    ? call(listAudit, { query: { ...query, tenant_id: PLATFORM } })
    : call(listOrganizationAudit, { params: { organization }, query })
}

const list = describeCommand({
  name: 'list',
  about: 'list the audit log, newest first',
  options: [
    new Option('--action <name>', 'action, such as tools/call or key.add'),
    new Option('--actor <id>', 'ID of the actor'),
    new Option('--outcome <word>', 'outcome').choices(OUTCOMES),
    new Option('--start <moment>', 'from this time on'),
    new Option('--end <moment>', 'before this time'),
    new Option('--limit <count>', 'maximum number, up to 200').argParser(wholeNumberOption(1, 200)).default(50),
    new Option('--offset <count>', 'number of records to skip').argParser(wholeNumberOption(0, 1_000_000)).default(0),
    new Option('--cursor <cursor>', 'start after the previous page: its next_cursor, with the same filter'),
    new Option('--wide', 'all columns with whole IDs; output that does not go to a terminal always has them'),
  ],
  examples: ['toolway records list --action tools/call --limit 20', 'toolway records list --start 2026-11-20 --json'],
  call: listRecords,
  print: ({ page, nameOf }, { wide = !process.stdout.isTTY }) => ({
    value: page,
    lines: [
      ...(wide ? wideTable(page.items, nameOf) : narrowTable(page.items, nameOf)),
      `${page.items.length} of ${page.total_exceeded ? 'more than ' : ''}${page.total}${wide || page.items.length === 0 ? '' : '; --wide also shows the IDs'}`,
    ],
  }),
})

type NameOf = (id: string) => string
const outcomeOf = ({ code, outcome }: AuditEvent) => code ?? outcome

/** Fits on a terminal of 80 columns: what happened, without what only another command reads. */
const narrowTable = (items: readonly AuditEvent[], nameOf: NameOf) =>
  table(
    ['TIME (UTC)', 'ACTOR', 'ACTION', 'RESOURCE', 'OUTCOME'],
    items.map((item) => [
      item.timestamp.slice('yyyy-'.length, 'yyyy-mm-ddThh:mm:ss'.length).replace('T', ' '),
      ...[nameOf(item.actor_id), item.action, item.resource_id ?? '', outcomeOf(item)],
    ]),
  )

const wideTable = (items: readonly AuditEvent[], nameOf: NameOf) =>
  table(
    ['SEQ', 'TIME', 'ACTOR', 'ACTION', 'RESOURCE', 'OUTCOME', 'FROM', 'ACTOR ID', 'ID'],
    items.map((item) => [
      ...[String(item.seq), item.timestamp, nameOf(item.actor_id), item.action, item.resource_id ?? ''],
      ...[outcomeOf(item), item.ip_address ?? '', item.actor_id, item.id],
    ]),
    // Nothing is cut: it is asked for to be copied from.
    Number.POSITIVE_INFINITY,
  )

interface Redacting extends OfChain {
  readonly id: string
  readonly field: readonly string[]
  readonly reason: string
}

const redact = describeCommand({
  name: 'redact',
  about: 'redact values in a record; the hash chain stays valid, and the redaction is logged',
  arguments: [new Argument('<id>', 'ID of the record')],
  options: [
    new Option('--field <name>', 'principal, client, target, resource_id, ip_address, user_agent or detail')
      .argParser((value: string, before: string[]) => [...before, value])
      .default([]),
    new Option('--reason <text>', 'reason for the redaction').makeOptionMandatory(),
  ],
  examples: ['toolway records redact rec_01jd… --field ip_address --field user_agent --reason "erasure request 17"'],
  async call({ call }, { organization, id, field, reason }: Redacting) {
    const fields = REDACTABLE.filter((name) => field.includes(name))
    if (fields.length === 0 || fields.length !== new Set(field).size)
      throw new CommandFault(
        `Specify the fields with --field; each must be one of ${REDACTABLE.join(', ')}.`,
        EXIT.usage,
      )
    if (reason.trim() === '') throw new CommandFault('A redaction needs a reason: --reason TEXT.', EXIT.usage)
    return call(redactRecord, { params: { organization, record: id }, body: { fields, reason } }).catch(
      (thrown: unknown) => {
        throw thrown instanceof Refusal && thrown.is('thing.unknown')
          ? new CommandFault(
              `There is no record ${id} in ${organization} that has a value in ${fields.join(', ')}: \`toolway records list\` lists the records.`,
            )
          : thrown
      },
    )
  },
  print: ({ fields }, { id }) => ({
    value: { redacted: id, fields },
    lines: [
      `Redacted ${countWithNoun(fields, 'value')} in ${id}. Earlier log files, backups and exports still contain what was redacted.`,
    ],
  }),
})

const prune = describeCommand({
  name: 'prune',
  about: 'remove records older than a date, up to a signed checkpoint',
  options: [new Option('--before <moment>', 'a time such as 2026-01-01 or 2026-01-01T00:00:00Z').makeOptionMandatory()],
  examples: ['toolway records prune --before 2026-01-01'],
  call: ({ call }, { organization, before }: OfChain & { before: string }) =>
    call(pruneRecords, { params: { organization }, body: { before: momentOf(before) } }),
  print: ({ removed }) => ({
    value: { removed },
    lines: [
      removed === 0
        ? 'Nothing was removed: there is no checkpoint between the older records and the first one to keep.'
        : `Removed ${countWithNoun(removed, 'record')}. The hash chain now begins at a signed checkpoint.`,
    ],
  }),
})

export function recordsCommand(finish: Finish) {
  const about = 'list, export and verify the audit log (-o platform: records without an organization)'
  const commands = [list, show, usage, levels, exportRecords, verify, redact, prune]
  return groupOf('records', about, commands, finish).alias('audit')
}
