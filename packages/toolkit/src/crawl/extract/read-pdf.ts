/** The text of a PDF, page by page, and its title and date (unpdf, which is PDF.js without a canvas). */
import { getDocumentProxy, getMeta } from 'unpdf'
import { PageProblem } from '../page-problem.ts'
import type { Extract } from './page-extract.ts'
import { countWords } from './words.ts'

const MOST_PAGES = 300
const MOST_TEXT = 4 * 1024 * 1024

export async function readPdf(bytes: Uint8Array): Promise<Extract> {
  const pdf = await getDocumentProxy(bytes, { verbosity: 0 }).catch((thrown: unknown) => {
    const locked = (thrown as Error).name === 'PasswordException'
    throw new PageProblem(locked ? 'The PDF requires a password.' : 'The PDF is damaged.', { cause: thrown })
  })
  const parts: string[] = []
  let length = 0
  for (let number = 1; number <= Math.min(pdf.numPages, MOST_PAGES) && length <= MOST_TEXT; number++) {
    const text = textOf((await (await pdf.getPage(number)).getTextContent()).items)
    parts.push(text)
    length += text.length
  }
  const text = parts
    .filter((part) => part !== '')
    .join('\n\n')
    .slice(0, MOST_TEXT)
  const words = countWords(text)
  if (words === 0) throw new PageProblem('The PDF contains no text; it may be scanned.')
  const { info } = await getMeta(pdf, { parseDates: false })
  const left = pdf.numPages - parts.length
  const note = left > 0 ? `\n\n(${left} more pages of the PDF were not read.)` : ''
  return {
    title: textIn(info['Title']),
    description: textIn(info['Subject']),
    date: dateOf(info),
    text: text + note,
    words,
  }
}

const textOf = (items: readonly object[]): string =>
  items
    .map((item) => ('str' in item && 'hasEOL' in item ? `${String(item.str)}${item.hasEOL === true ? '\n' : ''}` : ''))
    .join('')
    .trim()

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A date of PDF is written D:YYYYMMDDHHmmSS (ISO 32000-2, section 7.9.4). */
function dateOf(info: Readonly<Record<string, unknown>>): string {
  const [, year, month = '01', day = '01'] = /^D:(\d{4})(\d{2})?(\d{2})?/.exec(textIn(info['CreationDate'])) ?? []
  return year === undefined ? '' : `${year}-${month}-${day}`
}
