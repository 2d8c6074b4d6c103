/** What can be said to `toolway records`, with examples. What it does is loaded when it is said. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { examples, outputOf, type Common, type Finish } from '../command-words.ts'

const collect = (value: string, before: string[]) => [...before, value]
const whole = (least: number, most: number) => (text: string) => {
  const value = Number(text)
  if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value
  throw new InvalidArgumentError(`A whole number from ${least} to ${most}.`)
}

const OUTCOMES = ['ok', 'tool_error', 'refused', 'failed', 'cancelled', 'unknown']

export function recordsCommand(finish: Finish): Command {
  const command = new Command('records').description(
    'look through records, export and verify them (-o platform: those of no organization)',
  )
  addList(command, finish)
  addShow(command, finish)
  addProof(command, finish)
  addEnds(command, finish)
  return command
}

function addList(command: Command, finish: Finish): void {
  command
    .command('list')
    .description('list records, the newest first')
    .option('--action <name>', 'what was done: tools/call, key.add')
    .option('--actor <id>', 'who did it')
    .addOption(new Option('--outcome <word>', 'how it ended').choices(OUTCOMES))
    .option('--start <moment>', 'from this moment on')
    .option('--end <moment>', 'before this moment')
    .option('--limit <count>', 'as many at most, up to 200', whole(1, 200), 50)
    .option('--offset <count>', 'leave out as many', whole(0, 1_000_000), 0)
    .addHelpText(
      'after',
      examples('toolway records list --action tools/call --limit 20', 'toolway records list --start 2026-11-20 --json'),
    )
    .action(async (options: Common & { limit: number; offset: number }) =>
      finish(await (await import('./records.ts')).list(options, outputOf(options))),
    )
}

function addShow(command: Command, finish: Finish): void {
  command
    .command('show')
    .description('show one record: why its call failed, and what helps')
    .argument('<id>', 'the record')
    .option('--payload', 'arguments and result, where the connection keeps them; that you looked is on record')
    .addHelpText('after', examples('toolway records show rec_01jd…', 'toolway records show rec_01jd… --payload'))
    .action(async (id: string, options: Common & { payload?: boolean }) => {
      const { organization, payload = false } = options
      finish(await (await import('./show-record.ts')).show({ organization, id, payload }, outputOf(options)))
    })
}

function addProof(command: Command, finish: Finish): void {
  command
    .command('export')
    .description('write records to standard output or a file; only jsonl can be verified')
    .addOption(new Option('--format <name>', 'form').choices(['jsonl', 'csv', 'ocsf']).default('jsonl'))
    .option('--file <path>', 'a new file instead of standard output')
    .option('--after <seq>', 'only what came behind this record', whole(0, Number.MAX_SAFE_INTEGER))
    .addHelpText(
      'after',
      examples('toolway records export --file records.jsonl', 'toolway records export --format csv > records.csv'),
    )
    .action(async (options: Common & { format: 'jsonl' | 'csv' | 'ocsf'; file?: string; after?: number }) =>
      finish(await (await import('./records-proof.ts')).exportRecords(options, outputOf(options))),
    )
  command
    .command('verify')
    .description('check that nothing was changed, removed, put in or moved: in the database, or in an exported file')
    .argument('[file]', 'an export; needs neither a database nor a data directory')
    .option('--fingerprint <hex>', 'of the key that signs; may be repeated', collect, [])
    .option('--checkpoint <seq:hash>', 'a checkpoint that was kept elsewhere; may be repeated', collect, [])
    .addHelpText(
      'after',
      examples('toolway records verify', 'toolway records verify records.jsonl --fingerprint 5e1f…'),
    )
    .action(async (file: string | undefined, options: Common & { fingerprint: string[]; checkpoint: string[] }) => {
      const { verify } = await import('./records-proof.ts')
      const { organization, fingerprint: fingerprints, checkpoint: checkpoints } = options
      finish(await verify(file, { organization, fingerprints, checkpoints }, outputOf(options)))
    })
}

function addEnds(command: Command, finish: Finish): void {
  command
    .command('redact')
    .description('take values out of a record; the chain stays whole, and who did it and why is on record')
    .argument('<id>', 'the record')
    .option('--field <name>', 'principal, client, target, resource_id, ip_address, user_agent or detail', collect, [])
    .requiredOption('--reason <text>', 'why')
    .addHelpText(
      'after',
      examples('toolway records redact rec_01jd… --field ip_address --field user_agent --reason "erasure request 17"'),
    )
    .action(async (id: string, options: Common & { field: string[]; reason: string }) => {
      const { organization, field: fields, reason } = options
      finish(await (await import('./records.ts')).redact({ organization, id, fields, reason }, outputOf(options)))
    })
  command
    .command('prune')
    .description('remove what is older than a moment, up to a signed checkpoint')
    .requiredOption('--before <moment>', 'as 2026-01-01 or 2026-01-01T00:00:00Z')
    .addHelpText('after', examples('toolway records prune --before 2026-01-01'))
    .action(async (options: Common & { before: string }) =>
      finish(await (await import('./records.ts')).prune(options.organization, options.before, outputOf(options))),
    )
}
