/**
 * The form in which the tests run. `npm test` runs the short one; `npm test -- --full`, a run of named files and an editor run the
 * long one. A test is left out of the short form by the tag `long` (`{ tags: 'long' }`, or `@module-tag long` in the header of a
 * file); a test that only looks at less asks here.
 */
import { PATIENCE_MS } from '../../packages/gateway/src/testing/patience.ts'

export const IS_SHORT = process.env['TEST_FORM'] === 'short'

/** Files that `npm test -- --rest` does not repeat (tools/test.mjs). */
export const PROVEN = (process.env['TEST_PROVEN'] ?? '').split('\n').filter((file) => file !== '')

/** A time that a requirement names, in milliseconds: the long form holds it, the short one passes on a machine of any speed. */
export const within = (ms: number): number => (IS_SHORT ? PATIENCE_MS : ms)

/** Runs of a property: all of them in the long form, a tenth in the short one, and more of them where TEST_FUZZ_FACTOR says so. */
export const runs = (all: number): number =>
  IS_SHORT ? Math.ceil(all / 10) : all * Number(process.env['TEST_FUZZ_FACTOR'] ?? 1)
