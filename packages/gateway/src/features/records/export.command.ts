/** `toolway records export`: the records with their proof, to a file that did not exist, or to standard output. */
import { exportAudit, exportOrganizationAudit, listRecordSigners } from '@toolway/contract/admin'
import { Option } from 'commander'
import { once } from 'node:events'
import { open, rm } from 'node:fs/promises'
import { describeCommand } from '../../cli/command.ts'
import { CommandFault } from '../../cli/terminal/output.ts'
import type { Transport } from '../../cli/transport/transport.ts'
import { isPlatform, momentOf, OUTCOMES, PLATFORM, wholeNumberOption, type OfChain } from './of-chain.command.ts'

const FORMATS = ['jsonl', 'csv', 'ocsf'] as const

interface Exporting extends OfChain {
  readonly format: (typeof FORMATS)[number]
  readonly file?: string
  readonly after?: number
  readonly action?: string
  readonly actor?: string
  readonly tool?: string
  readonly connection?: string
  readonly outcome?: (typeof OUTCOMES)[number]
  readonly code?: string
  readonly start?: string
  readonly end?: string
}

export const exportRecords = describeCommand({
  name: 'export',
  about: 'export the audit log to standard output or a file; only jsonl without filters can be verified',
  options: [
    new Option('--format <name>', 'output format').choices(FORMATS).default('jsonl'),
    new Option('--file <path>', 'a new file instead of standard output'),
    new Option('--after <seq>', 'only records after this one').argParser(wholeNumberOption(0, Number.MAX_SAFE_INTEGER)),
    new Option('--action <name>', 'only this action, such as tools/call or key.add'),
    new Option('--actor <id>', 'only records of this actor'),
    new Option('--tool <name>', 'only calls of this tool'),
    new Option('--connection <alias>', 'only records of this connection'),
    new Option('--outcome <word>', 'only records with this outcome').choices(OUTCOMES),
    new Option('--code <code>', 'only records with this code'),
    new Option('--start <moment>', 'from this time on'),
    new Option('--end <moment>', 'before this time'),
  ],
  examples: [
    'toolway records export --file records.jsonl',
    'toolway records export --format csv --outcome refused --start 2026-11-01 > refused.csv',
  ],
  async call(transport, words: Exporting) {
    await (words.file === undefined ? toOutput(transport, words) : toFile(transport, words, words.file))
    return transport.call(listRecordSigners)
  },
  print: ({ fingerprints: [fingerprint] }) => ({
    value: undefined,
    lines: [],
    notes: [
      `Signed with a key that has the fingerprint ${fingerprint}. Keep a copy of the fingerprint elsewhere to verify the export later.`,
    ],
  }),
})

function linesOf({ stream }: Transport, words: Exporting): Promise<ReadableStream<Uint8Array>> {
  const { organization, format, after, action, actor: actor_id, tool, connection, outcome, code } = words
  const [start, end] = [momentOf(words.start), momentOf(words.end)]
  const query = { format, after, action, actor_id, tool, connection, outcome, code, start, end }
  return isPlatform(words)
    ? stream(exportAudit, { query: { ...query, tenant_id: PLATFORM } })
    : stream(exportOrganizationAudit, { params: { organization }, query })
}

async function toOutput(transport: Transport, words: Exporting): Promise<void> {
  for await (const part of await linesOf(transport, words))
    if (!process.stdout.write(part)) await once(process.stdout, 'drain')
}

async function toFile(transport: Transport, words: Exporting, path: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600).catch((thrown: NodeJS.ErrnoException) => {
    throw thrown.code === 'EEXIST'
      ? new CommandFault(`${path} already exists: choose another file, or remove it.`)
      : new CommandFault(`${path} cannot be used (${thrown.code}): check its path.`)
  })
  try {
    for await (const part of await linesOf(transport, words)) await file.writeFile(part)
  } catch (thrown) {
    // A part of an export proves nothing.
    await rm(path, { force: true })
    throw thrown
  }
}
