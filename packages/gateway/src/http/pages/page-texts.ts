/**
 * The texts of the gateway's own pages in the language of a request: German if its Accept-Language prefers German to English,
 * otherwise English.
 *
 * The catalogues are in ICU MessageFormat, as the console's are (ADR 108). A text is markup: its arguments are escaped, and its tags
 * are those below, or arguments themselves.
 */
import { IntlMessageFormat } from 'intl-messageformat'
import { parseAccept } from 'hono/utils/accept'
import { html, type Markup, type Tag, type Words } from './markup.ts'
import de from './texts/de.json' with { type: 'json' }
import en from './texts/en.json' with { type: 'json' }
import type { English } from './texts/english.ts'

export interface PageTexts extends English {
  readonly language: Language
}

const CATALOGUES = { en, de } as const satisfies Record<string, Catalogue>
type Language = keyof typeof CATALOGUES

/** A section of the texts, or a part of one. */
export interface Catalogue {
  readonly [key: string]: string | Catalogue
}

const TAGS = {
  strong: (words) => html`<strong>${words}</strong>`,
  code: (words) => html`<code>${words}</code>`,
} as const satisfies Record<string, Tag>
export const KNOWN_TAGS: readonly string[] = Object.keys(TAGS)

export const linkTo =
  (address: string): Tag =>
  (words) =>
    html`<a href="${address}">${words}</a>`

/** @param accepted the Accept-Language header of a request */
export function pageTexts(accepted: string | undefined): PageTexts {
  return TEXTS[languageOf(accepted)]
}

/** A region does not matter: `de-CH` is German. */
function languageOf(accepted = ''): Language {
  const languages = parseAccept(accepted)
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.toLowerCase().split('-')[0])
  return languages.find((language) => language === 'de' || language === 'en') ?? 'en'
}

interface Functions {
  readonly [key: string]: Functions | ((values?: Readonly<Record<string, Words | Tag>>) => Markup)
}

const functionsOf = (catalogue: Catalogue, language: Language): Functions =>
  Object.fromEntries(
    Object.entries(catalogue).map(([key, value]) => [
      key,
      typeof value === 'string' ? functionOf(value, language) : functionsOf(value, language),
    ]),
  )

/** Compiles the message when it is first shown, and keeps it: all at once would hold up the first page. */
function functionOf(message: string, language: Language): Exclude<Functions[string], Functions> {
  let compiled: IntlMessageFormat | undefined
  return (values) => {
    compiled ??= new IntlMessageFormat(message, language)
    return html`${compiled.format<Markup>({ ...TAGS, ...values })}`
  }
}

const textsIn = (language: Language): PageTexts => ({
  ...(functionsOf(CATALOGUES[language], language) as unknown as English),
  language,
})
const TEXTS: Readonly<Record<Language, PageTexts>> = { en: textsIn('en'), de: textsIn('de') }
