/**
 * How well the main text of pages is found: precision and recall against the article of each of the saved pages in `pages/`, each of
 * another kind of site. `node test/crawl/measure.ts` prints them; `--words` shows what is missing and what is too much.
 *
 * The article is what stands between `<!--article-->` and `<!--/article-->`; the extractor never sees these marks. Compared are runs of
 * four words (shingles, as multisets), so that words that happen to stand in navigation, too, count for nothing. Heading and byline of
 * the page count as neither.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseHTML } from 'linkedom'
import { extract } from '../../packages/toolkit/src/crawl/extract/extract.ts'
import { decodeText } from '../../packages/toolkit/src/crawl/extract/decode-text.ts'
import { wordsOf } from '../../packages/toolkit/src/crawl/extract/words.ts'

const PAGES = join(import.meta.dirname, 'pages')
const MARKS = /<!--\/?article-->/g
const RUN = 4

export interface Measured {
  readonly page: string
  readonly words: number
  readonly precision: number
  readonly recall: number
  readonly f1: number
  readonly missing: readonly string[]
  readonly extra: readonly string[]
}

/** The text of marked parts; blocks are set apart by lines. */
function articleOf(html: string): string {
  const parts = [...html.matchAll(/<!--article-->([\s\S]*?)<!--\/article-->/g)].map(([, part = '']) => part)
  const spaced = parts.join('\n').replace(/<(?:\/?(?:p|li|tr|td|th|h\d|div|pre|summary|caption)|br)\b/gi, '\n$&')
  const { document } = parseHTML(`<html><body>${spaced}</body></html>`)
  return document.body.textContent
}

/** Markdown without what it adds: languages of code, numbers of lists, addresses of links and pictures. */
const plain = (markdown: string): string =>
  markdown
    .replace(/^(\s*(?:`{3,}|~{3,}))[\w+-]+$/gm, '$1')
    .replace(/^\s*\d+\. /gm, '')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\]\([^)]*\)/g, '] ')
    .replace(/\\([\\`*_{}[\]()#+\-.!<>])/g, '$1')

function runsOf(text: string): Map<string, number> {
  const words = wordsOf(text.toLowerCase())
  const runs = new Map<string, number>()
  for (let at = 0; at + RUN <= words.length; at++) {
    const run = words.slice(at, at + RUN).join(' ')
    runs.set(run, (runs.get(run) ?? 0) + 1)
  }
  return runs
}

const without = (from: Map<string, number>, other: Map<string, number>): string[] =>
  [...from].flatMap(([run, count]) => Array.from({ length: Math.max(0, count - (other.get(run) ?? 0)) }, () => run))

const sizeOf = (runs: Map<string, number>): number => [...runs.values()].reduce((sum, count) => sum + count, 0)

async function measure(page: string): Promise<Measured> {
  const bytes = await readFile(join(PAGES, page))
  const body = Buffer.from(bytes.toString('latin1').replace(MARKS, ''), 'latin1')
  const task = { form: 'html', contentType: 'text/html', url: `https://example.com/${page}`, body } as const
  const { text, words } = await extract(task)
  const found = runsOf(plain(text))
  const wanted = runsOf(articleOf(decodeText(bytes, 'text/html')))
  const [extra, missing] = [without(found, wanted), without(wanted, found)]
  const precision = 1 - extra.length / Math.max(1, sizeOf(found))
  const recall = 1 - missing.length / sizeOf(wanted)
  return {
    page,
    words,
    precision,
    recall,
    f1: (2 * precision * recall) / Math.max(1e-9, precision + recall),
    missing,
    extra,
  }
}

/** Pages in order of their names. */
export async function measureAll(): Promise<Measured[]> {
  const pages = (await readdir(PAGES)).filter((name) => name.endsWith('.html')).sort((a, b) => a.localeCompare(b))
  const measured: Measured[] = []
  for (const page of pages) measured.push(await measure(page))
  return measured
}

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

if (import.meta.main) {
  const all = await measureAll()
  const figure = (value: number) => value.toFixed(3).padStart(9)
  console.log(`${'page'.padEnd(32)}${'words'.padStart(7)}precision   recall       F1`.replace('wordsp', 'words  p'))
  for (const { page, words, precision, recall, f1, missing, extra } of all) {
    console.log(`${page.padEnd(32)}${String(words).padStart(7)}  ${figure(precision)}${figure(recall)}${figure(f1)}`)
    if (process.argv.includes('--words')) console.log({ missing: missing.slice(0, 12), extra: extra.slice(0, 12) })
  }
  const means = (['precision', 'recall', 'f1'] as const).map((key) => figure(mean(all.map((one) => one[key]))))
  console.log(`${`mean of ${all.length} pages`.padEnd(39)}  ${means.join('')}`)
}
