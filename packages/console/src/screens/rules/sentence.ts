/** A rule in a sentence that grows with it. The words are in `texts`, those of an action in the contract. */
import { kindOf, ruleActionOf } from '@toolway/contract'
import type { Texts } from '../../texts/texts.ts'
import { listOf, oneOf } from '../../ui/lists.ts'
import type { Draft } from './draft.ts'

type Words = Texts['rules']['say']

/** @param nameOf what a scope is of, for people: the name of a key instead of its id */
export function sentenceOf(draft: Draft, say: Words, nameOf: (of: string) => string = (of) => of): string {
  const where = whereOf(draft, say, nameOf)
  return `${where}, ${whatOf(draft, say)}: ${ruleActionOf(draft.action).follows(draft.parameters)}.`
}

export function whereOf({ scope, of, match }: Draft, say: Words, nameOf: (of: string) => string): string {
  if (scope === 'platform' && match.organizations !== undefined && match.organizations.length > 0)
    return say.where.some({ slugs: listOf(match.organizations) })
  if (scope === 'platform' || scope === 'organization') return say.where[scope]
  return say.where[scope]({ of: of === '' ? say.open : nameOf(of) })
}

/** The tools and calls that it speaks of. */
export function whatOf({ match }: Pick<Draft, 'match'>, say: Words): string {
  const { tools = ['*'], effects = [], connectors = [], categories = [], parameter, when } = match
  const all = tools.length === 0 || tools.includes('*')
  return [
    all
      ? say.everyTool
      : say.tools({
          names:
            tools.length > 3
              ? say.others({ words: tools.slice(0, 3).join(', '), more: tools.length - 3 })
              : oneOf(tools),
        }),
    ...(effects.length === 0
      ? []
      : [say.thatDo({ effects: oneOf(effects.map((effect) => say.does[effect] ?? effect)) })]),
    ...(connectors.length === 0
      ? []
      : [say.of({ kinds: oneOf(connectors.map((kind) => kindOf(kind)?.article ?? kind)) })]),
    ...(categories.length === 0 ? [] : [say.category({ names: oneOf(categories) })]),
    ...(parameter === undefined || parameter === '' ? [] : [say.withArgument({ argument: parameter })]),
    ...(when === undefined || when.trim() === '' ? [] : [say.when({ condition: when.trim() })]),
  ].join(' ')
}
