/** The text of a fault on a page: in the page's language if its catalogue contains the fault, otherwise in English and marked as such. */
import type { Fault } from '@toolway/contract'
import { html, type Markup, type Words } from './markup.ts'
import type { PageTexts } from './page-texts.ts'

export interface FaultText {
  readonly say: Markup
  readonly mend: Markup
}

type Said = (facts: Readonly<Record<string, Words>>) => Markup

/** The message of a fault and how to fix it, in one text. */
export function faultText(texts: PageTexts, fault: Fault): Markup {
  const { code, facts } = fault
  if (code === 'body.shape') {
    // The position within a JSON body means nothing to the user of a form, so the message names the field.
    const field = String(facts['place']).slice(1)
    return texts.field({ field, problem: problemText(texts, String(facts['problem'])) })
  }
  const { say, mend } = faultTexts(texts, fault)
  return html`${say} ${mend}`
}

export function faultTexts(texts: PageTexts, { code, facts, message, mend }: Fault): FaultText {
  const known = ownMember<{ say: Said; mend: Said }>(texts.faults, code)
  if (known === undefined) return { say: inEnglish(texts, message), mend: inEnglish(texts, mend) }
  const values = Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [name, name === 'problem' ? problemText(texts, String(fact)) : fact]),
  )
  return { say: known.say(values), mend: known.mend(values) }
}

/** The cause that a fault names. The catalogue has those that are constant by their English words, with a sign for each number. */
export function problemText(texts: PageTexts, problem: string): Markup {
  // The sentence around it brings its own full stop.
  const words = problem.replace(/\.$/, '')
  const known = ownMember<Said>(texts.problems, words.replaceAll(/\d+/g, '#'))
  return known?.(Object.fromEntries((words.match(/\d+/g) ?? []).entries())) ?? inEnglish(texts, words)
}

/** Screen readers pronounce it as what it is. */
export const inEnglish = ({ language }: PageTexts, text: string): Markup =>
  language === 'en' ? html`${text}` : html`<span lang="en">${text}</span>`

/** By a name that the compiler does not know, with whatever arguments there are. */
const ownMember = <Value>(all: object, name: string): Value | undefined =>
  Object.hasOwn(all, name) ? (all as Readonly<Record<string, Value>>)[name] : undefined
