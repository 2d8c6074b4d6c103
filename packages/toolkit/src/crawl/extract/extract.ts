/** Reads one page in whatever form it comes. It runs in a thread of its own, and has no way to other machines. */
import { PageProblem } from '../page-problem.ts'
import { decodeText } from './decode-text.ts'
import type { Extract, ExtractTask } from './page-extract.ts'
import { countWords } from './words.ts'

export async function extract({ form, contentType, url, body }: ExtractTask): Promise<Extract> {
  if (form === 'pdf') return (await import('./read-pdf.ts')).readPdf(body)
  const text = decodeText(body, contentType)
  if (form === 'html') return (await import('./read-html.ts')).readHtml(text, url)
  const words = countWords(text)
  if (words === 0) throw new PageProblem('The page is empty.')
  const title = form === 'text' ? (/^#{1,2} +(.{1,300})$/m.exec(text.slice(0, 2_000))?.[1] ?? '') : ''
  return { title, description: '', date: '', text: form === 'json' ? fenceText(text) : text, words }
}

/** A fence is longer than each row of backticks within. */
function fenceText(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}json\n${text}\n${fence}`
}
