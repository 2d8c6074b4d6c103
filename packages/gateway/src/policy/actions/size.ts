/** Bounds on sizes. Arguments are measured here; results are cut by a step (`call/steps/sizes.ts`). */
import { Fault } from '@toolway/contract'
import type { ActionBehaviour } from './action.ts'
import { reasonOf } from './action-words.ts'

export const size: ActionBehaviour<'size'> = {
  action: 'size',
  check({ parameters }, _, say) {
    if (parameters.arguments === undefined && parameters.result === undefined)
      say('/parameters', 'has no size: set arguments, result, or both')
  },
  redacts: ({ result }) => result?.redact ?? [],
  enforce(rules, { arguments: args }) {
    for (const rule of rules) {
      const { arguments: limit } = rule.parameters
      if (limit === undefined) continue
      const bytes = Buffer.byteLength(JSON.stringify(args ?? {}))
      if (bytes > limit) throw new Fault('arguments.too-large', { bytes, limit, reason: reasonOf(rule) })
    }
    return undefined
  },
  follows: () => 'arguments or results beyond its limits are refused or truncated.',
  notReplayed: true,
}
