/** `toolway policy test`: cases of a file against rules, those of a file or those in force; TAP, and exit code 1 where one fails. */
import { dirname, resolve } from 'node:path'
import type { Facts, Rule, ToolFacts } from '@toolway/contract'
import { toolsOf } from '../../admin/policy/tools-of.ts'
import { createPolicy } from '../../policy/compile.ts'
import { withDraft } from '../../policy/draft.ts'
import {
  differencesOf,
  findVerdict,
  RuleTests,
  TestTool,
  type Difference,
  type Found,
  type TestCase,
} from '../../policy/rule-test.ts'
import type { Policy } from '../../policy/verdict.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { readDraft } from './draft-file.ts'
import { withPolicy, type PolicyStore } from './policy-store.ts'
import { readYamlFile } from './yaml-file.ts'

export interface TestWords {
  readonly organization: string
  readonly file: string
  /** In place of the rules in force. */
  readonly rules?: string
}

const KNOWN = [
  ...[
    'rules',
    'tools',
    'cases',
    'connector',
    'effect',
    'effectFrom',
    'category',
    'schema',
    'name',
    'as',
    'tool',
    'toolset',
  ],
  ...['arguments', 'time', 'address', 'expect', 'action', 'rule', 'approvals', 'warnings', 'shadows'],
  ...['kind', 'role', 'email', 'groups', 'key', 'client'],
]

interface Ran {
  readonly name: string
  readonly ok: boolean
  readonly found: Found | undefined
  readonly differences: readonly Difference[]
  readonly problem?: string
}

/** With rules and tools of files no Toolway has to be there. */
export async function testRules({ organization, file, rules: named }: TestWords, output: Output): Promise<number> {
  const tests = await readYamlFile(file, { shape: RuleTests, known: KNOWN })
  const path = named ?? (tests.rules === undefined ? undefined : resolve(dirname(file), tests.rules))
  const rules = path === undefined ? undefined : withDraft([], { ...(await readDraft(path)), remove: [] })
  const stands =
    rules !== undefined && tests.cases.every((one) => typeof one.as !== 'string' && one.tool in tests.tools)
  const ran = stands
    ? runAll(tests, rules, organization, undefined)
    : await withPolicy(organization, async (store) =>
        runAll(tests, rules ?? store.snapshot.rules.rules, store.organization.slug, store),
      )
  output.result({ ok: ran.every(({ ok }) => ok), cases: ran }, tapOf(ran))
  return ran.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed
}

function runAll(tests: RuleTests, rules: readonly Rule[], slug: string, store: PolicyStore | undefined): Ran[] {
  const policy = createPolicy(rules)
  const unread = policy.problems.map(({ rule, problem }) => ({
    ...{ name: `the rule "${rule.name}" can be read`, ok: false, found: undefined, differences: [], problem },
  }))
  return [...unread, ...tests.cases.map((one, at) => runOne(one, at, { tests, policy, slug, store }))]
}

interface Surrounding {
  readonly tests: RuleTests
  readonly policy: Policy
  readonly slug: string
  readonly store: PolicyStore | undefined
}

function runOne(one: TestCase, at: number, { tests, policy, slug, store }: Surrounding): Ran {
  const { toolset, time, address, arguments: given, expect } = one
  const name = one.name ?? `case ${at + 1}: ${one.tool}`
  const { tool, schema } = toolOf(one.tool, tests, store)
  const facts: Facts = {
    principal: principalOf(one.as, store),
    context: { organization: slug, toolset, time, address },
    arguments: given,
  }
  const found = findVerdict({ policy, tool, schema, facts })
  const differences = differencesOf(expect, found)
  return { name, ok: differences.length === 0, found, differences }
}

function toolOf(joined: string, { tools }: RuleTests, store: PolicyStore | undefined) {
  const written = Object.hasOwn(tools, joined) ? tools[joined] : undefined
  if (written !== undefined) {
    const { schema, ...facts } = TestTool.parse(written)
    const at = joined.indexOf('__')
    const [connection, own] = at < 1 ? ['', joined] : [joined.slice(0, at), joined.slice(at + 2)]
    return { tool: { ...facts, name: own, joined, connection } satisfies ToolFacts, schema }
  }
  const known = store === undefined ? undefined : toolsOf(store.snapshot).joined(joined)
  if (known === undefined)
    throw new CommandFault(`"${joined}" is a tool of no connection: say what it is under \`tools:\`.`, EXIT.usage)
  return { tool: known.facts, schema: known.schema }
}

function principalOf(as: TestCase['as'], store: PolicyStore | undefined): Facts['principal'] {
  if (typeof as !== 'string') return { id: as.email || as.key, keyId: as.key, ...as }
  if (store === undefined) throw new CommandFault(`${as} can be looked up only where Toolway is.`, EXIT.usage)
  return store.callers.named(as, undefined).facts
}

/** https://testanything.org/tap-version-14-specification.html */
function tapOf(ran: readonly Ran[]): string[] {
  return [
    'TAP version 14',
    `1..${ran.length}`,
    ...ran.flatMap(({ name, ok, differences, problem, found }, at) => [
      `${ok ? 'ok' : 'not ok'} ${at + 1} - ${name.replaceAll('#', '\\#')}`,
      ...(ok
        ? []
        : [
            '  ---',
            ...(problem === undefined ? [] : [`  problem: ${JSON.stringify(problem)}`]),
            ...differences.flatMap(({ what, expected, found: seen }) => [
              `  ${what}:`,
              `    expected: ${JSON.stringify(expected)}`,
              `    found: ${JSON.stringify(seen)}`,
            ]),
            ...(found?.rule == null ? [] : [`  decided_by: ${JSON.stringify(found.rule)}`]),
            '  ...',
          ]),
    ]),
  ]
}
