/**
 * Compares a run with the known failures in `expected-failures.yaml`.
 *
 * A failure that is not listed fails the run, and so does a listed one that no longer occurs, so the list cannot become outdated.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Failure, ScenarioOutcome } from './outcomes.ts'

/** path -> suite -> `scenario` or `scenario:check` */
const Expected = z.record(z.string(), z.record(z.string(), z.array(z.string())).nullable())
export type Expected = z.output<typeof Expected>

/** The reasons why a run is not a success. */
export interface Verdict {
  unexpected: Failure[]
  /** Entries of the list whose scenario ran and did not fail so. */
  stale: string[]
}

/** Reads the list beside this file. A malformed one throws. */
export function readExpected(file = join(import.meta.dirname, 'expected-failures.yaml')): Expected {
  return Expected.parse(parse(readFileSync(file, 'utf8')))
}

/** Holds the outcomes of one suite against its entries; scenarios that did not run make nothing stale. */
export function evaluate(outcomes: readonly ScenarioOutcome[], entries: readonly string[]): Verdict {
  const failures = outcomes.filter(({ required }) => required).flatMap((outcome) => outcome.failures)
  // A scenario that was not looked at has not failed as expected.
  const covers = (entry: string, { scenario, check, unseen }: Failure) =>
    unseen !== true && (entry === scenario || entry === `${scenario}:${check}`)
  const unexpected = failures.filter((failure) => !entries.some((entry) => covers(entry, failure)))
  const ran = new Set(outcomes.map(({ scenario }) => scenario))
  const stale = entries.filter(
    (entry) => ran.has(entry.split(':')[0] ?? '') && !failures.some((failure) => covers(entry, failure)),
  )
  return { unexpected, stale }
}
