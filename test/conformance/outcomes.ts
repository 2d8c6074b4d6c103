/**
 * Reads the outcome of one scenario from the checks that the suite wrote, and from none of its printed output.
 *
 * A scenario without checks has failed, and so has one whose checks tested nothing, unless it may not apply.
 */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'

const Check = z.object({
  id: z.string(),
  status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
  errorMessage: z.string().optional(),
})

/** One check that did not hold. */
export interface Failure {
  scenario: string
  check: string
  message: string
  /** The scenario was not looked at: nothing is known to fail like this. */
  unseen?: true
}

/** The outcome of one scenario. It passed when nothing failed; a scenario that tested nothing has failed. */
export interface ScenarioOutcome {
  scenario: string
  required: boolean
  passed: boolean
  succeeded: number
  failures: Failure[]
  warnings: Failure[]
}

/** It looks at how a stream is resumed, and at nothing where the answer is plain JSON, which a server is free to give. */
const MAY_NOT_APPLY = new Set(['server-sse-polling'])

/** The outcome in a directory of results, or undefined where there is none. */
export async function readOutcome(file: string, scenario: string, required: boolean) {
  const written = await readFile(file, 'utf8').catch(() => undefined)
  return written === undefined ? undefined : weigh(scenario, required, z.array(Check).parse(JSON.parse(written)))
}

/** A required scenario the suite never finished counts as one failed check. */
export function absent(scenario: string, required = true): ScenarioOutcome {
  const failures = [unseen(scenario, 'absent', 'The suite wrote no checks for this scenario')]
  return { scenario, required, passed: false, succeeded: 0, failures, warnings: [] }
}

export const unseen = (scenario: string, check: string, message: string): Failure => ({
  scenario,
  check,
  message,
  unseen: true,
})

export function weigh(scenario: string, required: boolean, checks: z.output<typeof Check>[]): ScenarioOutcome {
  const having = (status: string): Failure[] =>
    checks
      .filter((check) => check.status === status)
      .map(({ id, errorMessage }) => ({ scenario, check: id, message: errorMessage ?? '' }))
  const succeeded = having('SUCCESS').length
  const failures = having('FAILURE')
  const warnings = having('WARNING')
  if (succeeded + warnings.length + failures.length === 0 && !MAY_NOT_APPLY.has(scenario))
    failures.push(unseen(scenario, 'nothing', 'Not one check of this scenario looked at anything'))
  return { scenario, required, passed: failures.length === 0, succeeded, failures, warnings }
}
