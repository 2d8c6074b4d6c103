/** Rules held against cases. Where rules, tools and callers are all written in the cases, no organization has to be known. */
import { setImmediate as turn } from 'node:timers/promises'
import { Fault, type Facts, type PrincipalFacts, type Rule, type ToolFacts } from '@toolway/contract'
import type { DraftRule, PolicyTestReport, PolicyTests, TestCase } from '@toolway/contract/admin'
import { createPolicy } from './compile.ts'
import { withDraft } from './draft.ts'
import { differencesOf, findVerdict } from './rule-test.ts'

/** Data that test cases may refer to without defining it. */
interface Known {
  /** Tools that some endpoint lists under that name. */
  called(name: string): readonly KnownTool[]
  /** The member of that address. Throws `thing.unknown`. */
  member(address: string): PrincipalFacts
}

interface KnownTool {
  readonly facts: ToolFacts
  /** Its input schema. */
  readonly schema: unknown
  /** The name that clients of joined endpoints know. */
  readonly exposedName: string
}

interface Testing {
  readonly tests: PolicyTests
  readonly rules: readonly Rule[]
  /** Slug of the organization, as conditions see it. */
  readonly organization: string
  readonly known?: Known | undefined
}

/** Whether no organization has to be known for them. */
export const standsAlone = ({ cases, tools }: PolicyTests): boolean =>
  cases.every(({ as, tool }) => typeof as !== 'string' && Object.hasOwn(tools, tool))

export const draftedRules = (rules: readonly DraftRule[]): Rule[] =>
  withDraft([], { rules: [...rules], remove: [], as: 'whole' })

/** Cases between which others have their turn. */
const AT_A_TIME = 100

/** Throws `body.shape` for a tool that nobody knows, and `thing.unknown` for such a member. */
export async function runPolicyTests({ tests, rules, organization, known }: Testing): Promise<PolicyTestReport> {
  const policy = createPolicy(rules)
  const findTool = createFindTool(tests, known)
  const cases: PolicyTestReport['cases'] = policy.problems.map(({ rule, problem }) => ({
    ...{ name: `the rule "${rule.name}" can be read`, ok: false, found: null, differences: [], problem },
  }))
  for (const [at, testCase] of tests.cases.entries()) {
    if (at % AT_A_TIME === AT_A_TIME - 1) await turn()
    const { toolset, time, address, arguments: input, expect, name = `case ${at + 1}: ${testCase.tool}` } = testCase
    const facts: Facts = {
      principal: principalOf(testCase.as, known),
      context: { organization, toolset, time, address },
      arguments: input,
    }
    const found = findVerdict({ policy, ...findTool(testCase.tool, at), facts })
    const differences = differencesOf(expect, found)
    cases.push({ name, ok: differences.length === 0, found, differences, problem: null })
  }
  return { ok: cases.every(({ ok }) => ok), cases }
}

/** A tool as the cases say it, else as it is known. */
function createFindTool({ tools }: PolicyTests, known: Known | undefined) {
  return (joined: string, at: number): { tool: ToolFacts; schema: unknown } => {
    const written = Object.hasOwn(tools, joined) ? tools[joined] : undefined
    if (written !== undefined) {
      const { schema, ...facts } = written
      const split = joined.indexOf('__')
      const [connection, own] = split < 1 ? ['', joined] : [joined.slice(0, split), joined.slice(split + 2)]
      return { tool: { ...facts, name: own, joined, connection }, schema }
    }
    const [found, ...more] = known?.called(joined) ?? []
    if (found !== undefined && more.length === 0) return { tool: found.facts, schema: found.schema }
    const problem =
      found === undefined
        ? 'does not belong to any connection: describe it under `tools`'
        : `is the name of several tools: use ${[found, ...more].map(({ exposedName }) => exposedName).join(' or ')}`
    throw new Fault('body.shape', { place: `/cases/${at}/tool`, problem })
  }
}

function principalOf(as: TestCase['as'], known: Known | undefined): Facts['principal'] {
  if (typeof as !== 'string') return { id: as.email || as.key, keyId: as.key, ...as }
  if (known === undefined) throw new Fault('thing.unknown', { thing: 'member' })
  return known.member(as)
}
