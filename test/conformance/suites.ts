/**
 * Which official suites are run, against which revision, and which of their scenarios must pass?
 *
 * What a revision requires is read from the suite's own frozen list, never written down here a second time.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

/** The root of the repository: suites are started there and reports written there. */
export const ROOT = join(import.meta.dirname, '../..')

/** A published revision of MCP that a suite speaks. */
export type Revision = '2025-11-25' | '2026-07-28'

/** One run of one official suite; `requires` says which of its scenarios decide the exit code. */
export interface Suite {
  name: string
  revision: Revision
  program: string
  selection: readonly string[]
  requires: 'every' | readonly string[]
  /** What the suite runs without scoring it; known only where a frozen list says so. */
  offers: 'any' | readonly string[]
  /** Which server of ours it is pointed at. */
  fixture: 'everything' | 'extensions'
  /** Scenarios that are run one by one, because no selection of the suite holds them alone. */
  each?: readonly string[]
}

const program = (alias: string) => join(ROOT, 'node_modules', alias, 'dist/index.js')

const older = (selection: string): Suite => ({
  name: `0.1.16-${selection}`,
  revision: '2025-11-25',
  program: program('conformance-016'),
  selection: ['--suite', selection],
  requires: 'every',
  offers: 'any',
  fixture: 'everything',
})

const newer = (revision: Revision): Suite => {
  const { required, reported } = requirementsOf(revision)
  return {
    name: revision,
    revision,
    program: program('conformance-020'),
    selection: ['--requirements', revision],
    requires: required,
    offers: [...required, ...reported],
    fixture: 'everything',
  }
}

/** No revision requires an extension; where a fixture of ours serves one, its scenarios must pass all the same. */
const EXTENSIONS = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
  'sep-2640-skills-enumeration',
  'sep-2640-skills-directory',
  'sep-2640-skills-manifest',
]

const extensions: Suite = {
  name: 'extensions',
  revision: '2026-07-28',
  program: program('conformance-020'),
  selection: [],
  requires: EXTENSIONS,
  offers: EXTENSIONS,
  fixture: 'extensions',
  each: EXTENSIONS,
}

/** Every suite, in the order they run. */
export function listSuites(): Suite[] {
  return [older('active'), older('all'), newer('2025-11-25'), newer('2026-07-28'), extensions]
}

/** The arguments of one run; one scenario is chosen by its name at the suite's revision. */
export function argumentsOf(suite: Suite, { url, out, scenario }: { url: string; out: string; scenario?: string }) {
  const single = suite.offers === 'any' ? [] : ['--spec-version', suite.revision]
  // Extensions stand on no revision's list.
  if (suite.each !== undefined) single.push('--force')
  const selection = scenario === undefined ? suite.selection : ['--scenario', scenario, ...single]
  return [suite.program, 'server', '--url', url, '-o', out, ...selection]
}

/** Whether a failure of the scenario fails the run. */
export function isRequired({ requires }: Suite, scenario: string): boolean {
  return requires === 'every' || requires.includes(scenario)
}

const Requirements = z.object({
  server: z.array(z.string()),
  not_scored: z.array(z.object({ scenario: z.string(), leg: z.string() })).default([]),
})

function requirementsOf(revision: Revision) {
  const file = join(ROOT, 'node_modules/conformance-020/requirements', `${revision}.yaml`)
  const { server, not_scored } = Requirements.parse(parse(readFileSync(file, 'utf8')))
  const reported = not_scored.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario)
  return { required: server, reported }
}
