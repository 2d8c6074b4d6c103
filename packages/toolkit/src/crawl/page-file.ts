/** The file of one page: its name, and Markdown under front matter in YAML. */
import { createHash } from 'node:crypto'
import type { Extract } from './extract/page-extract.ts'

const MOST_TITLE = 300
const MOST_DESCRIPTION = 1_000
const MOST_DATE = 100

/** The name by which the source system knows the page, too: the first 12 digits of the MD5 of its address. */
export const fileNameOf = (url: string): string =>
  `crawl_${createHash('md5').update(url).digest('hex').slice(0, 12)}.md`

export function pageFile({ title, date, description, text, words }: Extract, source: string): string {
  const front = [
    `title: ${quoteYaml(oneLine(title, MOST_TITLE))}`,
    `source: ${quoteYaml(source)}`,
    `date: ${date === '' ? 'null' : quoteYaml(dayOf(oneLine(date, MOST_DATE)))}`,
    `description: ${quoteYaml(oneLine(description, MOST_DESCRIPTION))}`,
    `word_count: ${words}`,
  ]
  return `---\n${front.join('\n')}\n---\n\n${text.trim().toWellFormed()}\n`
}

const oneLine = (text: string, most: number): string => text.replace(/\s+/g, ' ').trim().slice(0, most).toWellFormed()

/** The day of a date in ISO form; another text as it is. */
const dayOf = (date: string): string => /^\d{4}-\d{2}-\d{2}(?=T|$)/.exec(date)?.[0] ?? date

/** A double-quoted scalar of YAML 1.2: JSON's escapes are YAML's, and what YAML does not let stand is escaped, too. */
const quoteYaml = (text: string): string =>
  // YAML does not let these stand.
  JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
