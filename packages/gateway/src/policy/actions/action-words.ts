/** Words that several actions share in refusals and explanations. */
import type { Change, RuleRef } from '@toolway/contract'

/** Within a sentence that goes on. */
export const reasonOf = (rule: Pick<RuleRef, 'reason'> | undefined): string =>
  (rule?.reason ?? 'no reason is given').replace(/\.$/, '')

export const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** The sentence about a rule that sets or bounds an argument. */
export function wordChanges(changes: readonly Change[], parameter: string, args: unknown): string {
  if (args === undefined) return `it limits or sets ${parameter}.`
  if (changes.length === 0) return 'the arguments are not changed.'
  const texts = changes.map(
    ({ place, from, to }) => `${place} ${from === undefined ? 'is absent and' : show(from)} becomes ${show(to)}`,
  )
  return `${texts.join(', ')}.`
}
