/** `toolway policy test`: cases of a file against rules, those of a file or those in force; TAP, and exit code 1 where one fails. */
import { dirname, resolve } from 'node:path'
import { PolicyTests, testPolicy, type PolicyTestReport } from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { z } from 'zod'
import { describeCommand } from '../../cli/command.ts'
import { EXIT } from '../../cli/terminal/output.ts'
import type { Transport } from '../../cli/transport/transport.ts'

interface Testing {
  readonly organization: string
  readonly file: string
  /** In place of the rules in force. */
  readonly rules?: string
}

const TestFile = PolicyTests.extend({
  /** A file of rules, in place of those in force. */
  rules: z.string().min(1).optional(),
})

/** Every name that a member of the file may have. */
const KNOWN = [
  ...['rules', 'tools', 'cases', 'connector', 'effect', 'effectFrom', 'category', 'schema', 'name', 'as', 'tool'],
  ...['toolset', 'arguments', 'time', 'address', 'expect', 'action', 'rule', 'approvals', 'warnings', 'shadows'],
  ...['kind', 'role', 'email', 'groups', 'key', 'client'],
]

/** With rules and tools of files no Toolway has to be there. */
async function runFile({ call }: Transport, words: Testing): Promise<PolicyTestReport> {
  const { organization, file } = words
  const [{ readYamlFile }, { readDraft }] = await Promise.all([
    import('../../cli/policy/yaml-file.ts'),
    import('./draft-file.command.ts'),
  ])
  const { rules: named, ...tests } = await readYamlFile(file, { shape: TestFile, known: KNOWN })
  const path = words.rules ?? (named === undefined ? undefined : resolve(dirname(file), named))
  if (path === undefined) return call(testPolicy, { params: { organization }, body: tests })
  const { rules } = await readDraft(path)
  const alone = await (await import('../../cli/policy/test-without-gateway.ts')).testAlone(tests, rules, organization)
  return alone ?? call(testPolicy, { params: { organization }, body: { ...tests, rules } })
}

export const test = describeCommand({
  name: 'test',
  about: 'test rules against the cases in a file and print TAP; exits with code 1 if a case fails',
  arguments: [new Argument('<file>', 'YAML or JSON with cases')],
  options: [new Option('--rules <file>', 'test the rules in a file instead of the active ones; needs no installation')],
  examples: ['toolway policy test policy.test.yaml', 'toolway policy test policy.test.yaml --rules rules.yaml'],
  call: runFile,
  print: (report) => ({ value: report, lines: tapOf(report), code: report.ok ? EXIT.ok : EXIT.failed }),
})

/** https://testanything.org/tap-version-14-specification.html */
const tapOf = ({ cases }: PolicyTestReport): string[] => [
  'TAP version 14',
  `1..${cases.length}`,
  ...cases.flatMap((item, at) => [
    `${item.ok ? 'ok' : 'not ok'} ${at + 1} - ${item.name.replaceAll('#', '\\#')}`,
    ...(item.ok ? [] : failureLines(item)),
  ]),
]

const failureLines = ({ differences, problem, found }: PolicyTestReport['cases'][number]): string[] => [
  '  ---',
  ...(problem === null ? [] : [`  problem: ${JSON.stringify(problem)}`]),
  ...differences.flatMap(({ what, expected, found: seen }) => [
    `  ${what}:`,
    `    expected: ${JSON.stringify(expected)}`,
    `    found: ${JSON.stringify(seen)}`,
  ]),
  ...(found === null || found.rule === null ? [] : [`  decided_by: ${JSON.stringify(found.rule)}`]),
  '  ...',
]
