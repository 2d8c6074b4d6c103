/** What can be said about rules before they bite: `toolway policy explain|shadow|replay|test`. */
import { InvalidArgumentError, type Command } from 'commander'
import { examples, outputOf, type Common, type Finish } from '../command-words.ts'
import type { ExplainWords } from './explain.ts'

const MOST_DAYS = 90
function daysOf(text: string): number {
  const days = Number(text)
  if (Number.isInteger(days) && days >= 1 && days <= MOST_DAYS) return days
  throw new InvalidArgumentError(`A number of days from 1 to ${MOST_DAYS}.`)
}
const collect = (value: string, before: string[]) => [...before, value]

/** To the command that rules are written with. */
export function addTrialCommands(command: Command, finish: Finish): Command {
  explainCommand(command, finish)
  shadowCommand(command, finish)
  replayCommand(command, finish)
  testCommand(command, finish)
  return command
}

const explainCommand = (command: Command, finish: Finish) =>
  command
    .command('explain')
    .description('say why a call would end as it would: which rule, which fact, and what would make it pass')
    .requiredOption('--tool <name>', 'the tool, as <alias>__<tool>')
    .option('--as <email>', 'the member who calls')
    .option('--key <name>', 'the key that calls, by name or id')
    .option('--toolset <slug>', 'the toolset that it is called in (default: that of the key, else default)')
    .option('--arguments <json>', 'what it is called with, a JSON object; without it as far as can be told')
    .option('--client <name>', 'what the client calls itself')
    .option('--address <address>', 'where it calls from')
    .option('--time <time>', 'when, as 2026-12-24T18:00:00Z (default: now)')
    .option('--all', 'also the rules that do not speak of it, and why not')
    .addHelpText(
      'after',
      examples(
        'toolway policy explain --tool git__delete_branch --as maria@acme.example',
        `toolway policy explain --tool db__query --key ci --arguments '{"limit": 500}'`,
      ),
    )
    .action(async (options: Common & Omit<ExplainWords, 'organization'>) => {
      const { json, ...words } = options
      finish(await (await import('./explain.ts')).explain(words, outputOf({ json: json ?? false })))
    })

const shadowCommand = (command: Command, finish: Finish) =>
  command
    .command('shadow')
    .description('show what each rule in the shadow would have done, by tool and caller')
    .option('--days <number>', 'how far back', daysOf, 7)
    .addHelpText('after', examples('toolway policy shadow', 'toolway policy shadow --days 30'))
    .action(async ({ days, ...options }: Common & { days: number }) =>
      finish(await (await import('./trials.ts')).shadow(options.organization, days, outputOf(options))),
    )

const replayCommand = (command: Command, finish: Finish) =>
  command
    .command('replay')
    .description('judge the calls on record by the rules in force and by a draft, and show where they differ')
    .argument('[file]', 'YAML or JSON: a rule, a list of them, or rules and remove; - is standard input')
    .option('--remove <name>', 'as if that rule were gone; may be repeated', collect, [])
    .option('--whole', 'the file says all rules; of those in force only the platform’s stay')
    .option('--days <number>', 'how far back', daysOf, 7)
    .addHelpText(
      'after',
      examples(
        'toolway policy replay draft.yaml --days 30',
        'toolway policy replay --remove no-deleting',
        'toolway policy replay rules.yaml --whole',
      ),
    )
    .action(async (file: string | undefined, options: Common & { remove: string[]; whole?: boolean; days: number }) => {
      const { organization, remove, whole = false, days } = options
      const { replay } = await import('./trials.ts')
      finish(await replay({ organization, file, remove, whole, days }, outputOf(options)))
    })

const testCommand = (command: Command, finish: Finish) =>
  command
    .command('test')
    .description('hold rules against the cases of a file; 1 where one says otherwise. Prints TAP')
    .argument('<file>', 'YAML or JSON with cases')
    .option('--rules <file>', 'rules of a file in place of those in force; then no Toolway has to be here')
    .addHelpText(
      'after',
      examples('toolway policy test policy.test.yaml', 'toolway policy test policy.test.yaml --rules rules.yaml'),
    )
    .action(async (file: string, { organization, rules, ...rest }: Common & { rules?: string }) => {
      const { testRules } = await import('./test-rules.ts')
      finish(await testRules({ organization, file, ...(rules === undefined ? {} : { rules }) }, outputOf(rest)))
    })
