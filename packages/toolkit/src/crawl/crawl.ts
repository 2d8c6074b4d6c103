/**
 * One run of the crawler: pages in batches, until enough of them are good. Each page is fetched, read and saved on its own; a page that
 * fails is told with its reason, and the rest go on. When the run ends or is aborted, no request, thread or write of it is left.
 */
import { Refusal } from '../refusal.ts'
import { createCrawlTurns, type CrawlTurns } from './crawl-turns.ts'
import { ExtractionPool } from './extract/extraction-pool.ts'
import { visibleText, wallOf } from './extract/bot-wall.ts'
import { countWords } from './extract/words.ts'
import { pageAddress } from './fetch/page-address.ts'
import { PageFetcher, type Fetched } from './fetch/page-fetcher.ts'
import type { Answer } from './fetch/request.ts'
import { checkMediaType, formOf, mediaTypeOf } from './media-type.ts'
import { fileNameOf, pageFile } from './page-file.ts'
import { PageProblem } from './page-problem.ts'
import type { CrawlSettings } from './settings.ts'

export interface CrawlRequest {
  readonly urls: readonly string[]
  readonly batchSize: number
  /** Later batches are not begun once so many pages are good. */
  readonly target: number
  readonly signal: AbortSignal
  /** Writes the file of a page; returns its absolute path. */
  save(name: string, content: string): Promise<string>
  progress(done: number, total: number, message: string): void
}

export interface Saved {
  readonly url: string
  readonly file: string
  readonly path: string
}

export interface CrawlResult {
  /** Addresses, each once. */
  readonly total: number
  readonly saved: readonly Saved[]
  readonly errors: readonly { readonly url: string; readonly error: string }[]
}

type Outcome = Saved | { readonly url: string; readonly error: string }

export async function crawl(
  request: CrawlRequest,
  settings: CrawlSettings,
  turns: CrawlTurns = createCrawlTurns(settings),
): Promise<CrawlResult> {
  const { urls: input, batchSize, target, signal } = request
  const urls = distinct(input)
  await using fetcher = new PageFetcher(settings, signal, turns)
  await using pool = new ExtractionPool(settings, signal, turns)
  const saved: Saved[] = []
  const errors: CrawlResult['errors'][number][] = []
  let next = 0
  while (next < urls.length && saved.length < target) {
    // A batch holds no more pages than are still wanted, so that none is fetched in vain.
    const batch = urls.slice(next, next + Math.min(batchSize, target - saved.length))
    next += batch.length
    let done = saved.length + errors.length
    const outcomes = await Promise.allSettled(
      batch.map(async (url) => {
        using _ = await turns.pages.take(signal)
        const outcome = await outcomeOf(url, { fetcher, pool }, request)
        done += 1
        const message = 'error' in outcome ? `failed: ${url}: ${outcome.error}` : `saved: ${url}`
        if (!signal.aborted) request.progress(done, urls.length, message)
        return outcome
      }),
    )
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason
      if ('error' in outcome.value) errors.push(outcome.value)
      else saved.push(outcome.value)
    }
    signal.throwIfAborted()
  }
  return { total: urls.length, saved, errors }
}

/** Addresses that differ only by their fragment or spelling are one. The first spelling stays, for the name of the file. */
function distinct(input: readonly string[]): string[] {
  const known = new Map<string, string>()
  for (const text of input) {
    const plain = text.trim().replace(/#.*$/s, '')
    const key = URL.parse(plain)?.href ?? plain
    if (!known.has(key)) known.set(key, plain)
  }
  return [...known.values()]
}

interface Parts {
  readonly fetcher: PageFetcher
  readonly pool: ExtractionPool
}

async function outcomeOf(url: string, { fetcher, pool }: Parts, { signal, save }: CrawlRequest): Promise<Outcome> {
  try {
    const fetched = await fetcher.fetch(pageAddress(url), reads)
    checkStatus(fetched)
    const contentType = fetched.header('content-type')
    const task = { form: formOf(contentType, fetched.body), contentType, url: fetched.url.href, body: fetched.body }
    const content = pageFile(await pool.extract(task), url)
    signal.throwIfAborted()
    const file = fileNameOf(url)
    return { url, file, path: await save(file, content) }
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof PageProblem || thrown instanceof Refusal) return { url, error: thrown.message }
    const { code, name } = thrown as NodeJS.ErrnoException
    return { url, error: `The page could not be saved (${code ?? name}).` }
  }
}

/** Statuses whose page may tell of a wall against robots. */
const MAY_BE_WALL = new Set([401, 403, 429, 503])

function reads({ status, header }: Omit<Answer, 'body'>): boolean {
  if (status >= 300) return MAY_BE_WALL.has(status) && mediaTypeOf(header('content-type')) === 'text/html'
  checkMediaType(header('content-type'))
  return true
}

function checkStatus({ status, header, body }: Fetched): void {
  if (status >= 200 && status < 300) return
  const text = body.toString('utf8', 0, 64 * 1024)
  const title = /<title[^<>]*>([^<]{0,300})/i.exec(text)?.[1] ?? ''
  const shown = visibleText(text)
  const wall = header('cf-mitigated') === 'challenge' || wallOf(title, shown, countWords(shown)) !== undefined
  throw new PageProblem(
    wall && MAY_BE_WALL.has(status)
      ? `The site returned a bot check instead of the page (HTTP ${status}).`
      : `The server responded with HTTP ${status}.`,
  )
}
