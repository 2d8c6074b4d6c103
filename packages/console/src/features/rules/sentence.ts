/** A rule in a sentence that grows with it. The words are in `texts`. */
import { locale } from '../../texts/locale.ts'
import type { Texts } from '../../texts/texts.ts'
import { listOf, oneOf } from '../../ui/lists.ts'
import { consequenceOf } from './consequence.ts'
import type { Draft } from './draft.ts'

type Words = Texts['rules']['say']
/** The sections of the texts that a sentence is made of. */
export type SentenceTexts = Pick<Texts, 'rules' | 'ruleActions' | 'kinds'>

/**
 * @param nameOf what a scope is of, for people: the name of a key instead of its id
 * @param language of the lists in it
 */
export function sentenceOf(
  draft: Draft,
  all: SentenceTexts,
  nameOf: (of: string) => string = (of) => of,
  language: string = locale,
): string {
  const where = whereOf(draft, all.rules.say, nameOf, language)
  return `${where}, ${whatOf(draft, all, language)}: ${consequenceOf(draft, all.ruleActions, language)}.`
}

export function whereOf(
  { scope, of, match }: Draft,
  say: Words,
  nameOf: (of: string) => string,
  language: string = locale,
): string {
  if (scope === 'platform' && match.organizations !== undefined && match.organizations.length > 0)
    return say.where.some({ slugs: listOf(match.organizations, language) })
  if (scope === 'platform' || scope === 'organization') return say.where[scope]
  return say.where[scope]({ of: of === '' ? say.open : nameOf(of) })
}

/** The tools and calls that it speaks of. */
function whatOf({ match }: Pick<Draft, 'match'>, { rules: { say }, kinds }: SentenceTexts, language: string): string {
  const articles: Readonly<Record<string, string>> = kinds.article
  const kindIn = (kind: string) => articles[kind.replaceAll('.', '_')] ?? kind
  const either = (words: readonly string[]) => oneOf(words, language)
  const { tools = ['*'], effects = [], connectors = [], categories = [], parameter, when } = match
  const all = tools.length === 0 || tools.includes('*')
  return [
    all
      ? say.everyTool
      : say.tools({
          names:
            tools.length > 3
              ? say.others({ words: tools.slice(0, 3).join(', '), more: tools.length - 3 })
              : either(tools),
        }),
    ...(effects.length === 0
      ? []
      : [say.thatDo({ effects: either(effects.map((effect) => say.does[effect] ?? effect)) })]),
    ...(connectors.length === 0 ? [] : [say.of({ kinds: either(connectors.map(kindIn)) })]),
    ...(categories.length === 0 ? [] : [say.category({ names: either(categories) })]),
    ...(parameter === undefined || parameter === '' ? [] : [say.withArgument({ argument: parameter })]),
    ...(when === undefined || when.trim() === '' ? [] : [say.when({ condition: when.trim() })]),
  ].join(' ')
}
