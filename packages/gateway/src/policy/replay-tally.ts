/** Differences of a replay, counted by tool, caller and outcome, in bounded memory. */
import type { Judged } from './replay.ts'

export interface Difference {
  readonly tool: string
  readonly caller: string
  readonly now: string
  readonly draft: string
  readonly by: { readonly now: string | null; readonly draft: string | null }
  calls: number
  readonly examples: string[]
}

export interface Unjudged {
  readonly why: string
  calls: number
  readonly examples: string[]
}

export interface Tally {
  readonly read: number
  readonly same: number
  readonly different: number
  /** The most frequent first. */
  readonly differences: readonly Difference[]
  readonly unjudged: readonly Unjudged[]
  /** Some differences were counted and are not listed. */
  readonly truncated: boolean
}

const MOST_LISTED = 2000
const MOST_EXAMPLES = 3

export function createTally() {
  const differences = new Map<string, Difference>()
  const unjudged = new Map<string, Unjudged>()
  let [read, same, different, truncated] = [0, 0, 0, false]

  const example = (entry: { calls: number; readonly examples: string[] }, id: string) => {
    entry.calls++
    if (entry.examples.length < MOST_EXAMPLES) entry.examples.push(id)
  }

  return {
    add(judged: Judged, { id, tool, caller }: { id: string; tool: string; caller: string }): void {
      read++
      if ('unjudged' in judged) {
        const why = judged.unjudged
        const known = unjudged.size < MOST_LISTED || unjudged.has(why) ? why : 'other reasons'
        const entry = unjudged.get(known) ?? { why: known, calls: 0, examples: [] }
        unjudged.set(known, entry)
        return example(entry, id)
      }
      const { now, draft } = judged
      if (now.outcome === draft.outcome) return void same++
      different++
      const key = JSON.stringify([tool, caller, now.outcome, draft.outcome, now.rule, draft.rule])
      let entry = differences.get(key)
      if (entry === undefined && differences.size >= MOST_LISTED) return void (truncated = true)
      entry ??= {
        ...{ tool, caller, now: now.outcome, draft: draft.outcome, calls: 0, examples: [] },
        by: { now: now.rule ?? null, draft: draft.rule ?? null },
      }
      differences.set(key, entry)
      example(entry, id)
    },
    done: (): Tally => ({
      ...{ read, same, different, truncated },
      differences: [...differences.values()].toSorted((difference, other) => other.calls - difference.calls),
      unjudged: [...unjudged.values()].toSorted((item, other) => other.calls - item.calls),
    }),
  }
}
