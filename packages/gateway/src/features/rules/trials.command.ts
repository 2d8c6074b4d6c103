/** `toolway policy shadow` and `replay`: what rules would have done with what was called. */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { listShadows, replayPolicy, type PolicyDraft, type ReplayReport } from '@toolway/contract/admin'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { describeCommand } from '../../cli/command.ts'
import { CommandFault, EXIT, table } from '../../cli/terminal/output.ts'

const MOST_DAYS = 90
function daysOf(text: string): number {
  const days = Number(text)
  if (Number.isInteger(days) && days >= 1 && days <= MOST_DAYS) return days
  throw new InvalidArgumentError(`Must be a whole number of days from 1 to ${MOST_DAYS}.`)
}
const collect = (value: string, before: string[]) => [...before, value]
const howFar = new Option('--days <number>', 'number of days').argParser(daysOf).default(7)

interface Looking {
  readonly organization: string
  readonly days: number
}

export const shadow = describeCommand({
  name: 'shadow',
  about: 'show what each shadow rule would have done, by tool and caller',
  options: [howFar],
  examples: ['toolway policy shadow', 'toolway policy shadow --days 30'],
  call: ({ call }, { organization, days }: Looking) => call(listShadows, { params: { organization }, query: { days } }),
  print: (report, { days }) => ({
    value: report,
    lines:
      report.items.length === 0
        ? [`No shadow rule would have done anything in the last ${countWithNoun(days, 'day')}.`]
        : [
            ...table(
              ['RULE', 'WOULD', 'TOOL', 'CALLER', 'CALLS', 'LAST', 'EXAMPLE'],
              report.items.map(({ rule, would, tool, caller, calls, last, example }) => [
                ...[rule, would, tool, caller, String(calls), last.slice(0, 16), example],
              ]),
            ),
            ...(report.truncated ? ['There are more results; the least frequent ones are not shown.'] : []),
          ],
  }),
})

interface Replaying extends Looking {
  readonly file?: string
  readonly remove: readonly string[]
  readonly whole?: boolean
}

async function draftOf({ file, remove, whole = false }: Replaying): Promise<PolicyDraft> {
  if (file === undefined && remove.length === 0)
    throw new CommandFault('Specify a draft file, or use --remove with the name of a rule.', EXIT.usage)
  const none: PolicyDraft = { rules: [], remove: [], as: 'change' }
  const written = file === undefined ? none : await (await import('./draft-file.command.ts')).readDraft(file)
  return { ...written, remove: [...written.remove, ...remove], as: whole ? 'whole' : written.as }
}

export const replay = describeCommand({
  name: 'replay',
  about: 'replay calls from the audit log with the active rules and with a draft, and show the differences',
  arguments: [new Argument('[file]', 'YAML or JSON: a rule, a list of them, or rules and remove; - is standard input')],
  options: [
    new Option('--remove <name>', 'as if this rule were removed; can be repeated').argParser(collect).default([]),
    new Option('--whole', 'the file replaces all rules except platform rules'),
    howFar,
  ],
  examples: [
    'toolway policy replay draft.yaml --days 30',
    'toolway policy replay --remove no-deleting',
    'toolway policy replay rules.yaml --whole',
  ],
  async call({ call }, words: Replaying) {
    const body = { draft: await draftOf(words), days: words.days }
    return call(replayPolicy, { params: { organization: words.organization }, body })
  },
  print: (report) => ({ value: report, lines: linesOf(report) }),
})

function linesOf({ days, read, same, different, differences, unjudged, truncated, problems }: ReplayReport): string[] {
  const open = unjudged.reduce((sum, { calls }) => sum + calls, 0)
  return [
    `${countWithNoun(read, 'call')} from the last ${countWithNoun(days, 'day')}: ${same} unchanged, ${different} changed, ${open} cannot be evaluated.`,
    ...(differences.length === 0
      ? []
      : table(
          ['TOOL', 'CALLER', 'NOW', 'DRAFT', 'BY', 'CALLS', 'EXAMPLES'],
          differences.map(({ tool, caller, now, draft, by, calls, examples }) => [
            ...[tool, caller, now, draft, by.draft ?? by.now ?? '-', String(calls), examples.join(' ')],
          ]),
        )),
    ...(unjudged.length === 0
      ? []
      : [
          '',
          ...table(
            ['NOT EVALUATED BECAUSE', 'CALLS', 'EXAMPLES'],
            unjudged.map(({ why, calls, examples }) => [why, String(calls), examples.join(' ')]),
          ),
        ]),
    ...(truncated ? ['', 'There are more recorded calls or differences than are shown.'] : []),
    ...problems.map(
      ({ rule, problem }) => `The rule "${rule}" cannot be read, so it blocks every call it might match: ${problem}`,
    ),
  ]
}
