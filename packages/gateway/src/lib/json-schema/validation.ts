/**
 * One check of one value: what was found, and how much work may still be done.
 *
 * The work is counted and not timed, so that the same value gets the same answer on every machine. A step is about a microsecond
 * at worst; whoever spends more than there are ends the check, which then counts as failed.
 */

/** Where a value stands in the whole; written out as a JSON Pointer only where something is said of it. */
export interface InstancePath {
  readonly up: InstancePath | undefined
  readonly key: string | number
}

export interface Problem {
  /** JSON Pointer (RFC 6901); empty for the whole. */
  readonly path: string
  /** Goes on after the place: "must be at most 50". */
  readonly message: string
}

/** A finding within: where only the type did not fit, `types` says what would. */
export interface Finding {
  readonly at: InstancePath | undefined
  readonly message: string
  readonly types?: readonly string[] | undefined
}

export const VALIDATION_BOUNDS = {
  steps: 2_000_000,
  /** Schemas within one another, references and the value's own levels together. */
  depth: 500,
  /** Findings that are told. */
  findings: 20,
  /** Levels and values of what is checked. */
  levels: 64,
  values: 500_000,
} as const

/** More work than may be done for one value. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
}

/** The evaluated names and indexes, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  readonly names: Set<string>
  readonly items: Set<number>
}
export const nothingEvaluated = (): Evaluated => ({ names: new Set(), items: new Set() })
export function addEvaluated(evaluated: Evaluated | undefined, { names, items }: Evaluated): void {
  if (evaluated === undefined) return
  for (const name of names) evaluated.names.add(name)
  for (const item of items) evaluated.items.add(item)
}

export class Validation {
  readonly found: Finding[] = []
  /** Also of what is not told. */
  count = 0
  readonly #work: { left: number; depth: number }

  constructor(work = { left: VALIDATION_BOUNDS.steps as number, depth: 0 }) {
    this.#work = work
  }

  get spent(): number {
    return VALIDATION_BOUNDS.steps - this.#work.left
  }

  /** Charged before the work is done. */
  spend(steps: number): void {
    this.#work.left -= steps
    if (this.#work.left < 0) throw new TooMuchWork('the work is used up')
  }

  /** One schema deeper; false where it leads no further. */
  enter(): boolean {
    this.spend(1)
    this.#work.depth += 1
    return this.#work.depth <= VALIDATION_BOUNDS.depth
  }
  leave(): void {
    this.#work.depth -= 1
  }

  report(at: InstancePath | undefined, message: string, types?: readonly string[]): void {
    this.count += 1
    if (this.found.length < VALIDATION_BOUNDS.findings) this.found.push({ at, message, types })
  }
  reportAll(findings: readonly Finding[]): void {
    for (const { at, message, types } of findings) this.report(at, message, types)
  }

  /** Returns a run with its own findings and a shared work limit. */
  trial(): Validation {
    return new Validation(this.#work)
  }
}

const LONGEST_POINTER = 300

export function pointerOf(at: InstancePath | undefined): string {
  const keys: string[] = []
  for (let step = at; step !== undefined; step = step.up)
    keys.push(String(step.key).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1'))
  const pointer = keys
    .reverse()
    .map((key) => `/${key}`)
    .join('')
  return pointer.length <= LONGEST_POINTER ? pointer : `${pointer.slice(0, LONGEST_POINTER)}…`
}
