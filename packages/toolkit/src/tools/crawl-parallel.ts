/** `crawl_parallel`: web pages as Markdown files of the session (ledger S4-TK-13 to S4-TK-18). The crawler is loaded by the first call. */
import { z } from 'zod'
import type { CrawlTurns } from '../crawl/crawl-turns.ts'
import type { CrawlSettings } from '../crawl/settings.ts'
import { Refusal } from '../refusal.ts'
import { tool, type Tool, type ToolCall } from './tool.ts'

const FOLDER = 'search_results'
const MOST_URLS = 200
/** The source system's sizes: batches, and good pages after which it stops. */
const BATCH = 10
const TARGET = 10

const Input = z.strictObject({
  urls: z.array(z.string().min(1).max(4_096)).min(1).max(MOST_URLS).describe('Addresses of pages, best ones first.'),
  session_dir: z
    .string()
    .min(1)
    .describe(
      `The folder of the session, relative to the workspace or absolute within it; pages go to ${FOLDER} in it.`,
    ),
  target_successes: z
    .int()
    .min(1)
    .max(MOST_URLS)
    .default(TARGET)
    .describe('Stops after this many good pages; later addresses are not requested.'),
  batch_size: z
    .int()
    .min(1)
    .max(BATCH)
    .default(BATCH)
    .describe('The maximum number of pages that are read at the same time. 5 suits reading long pages.'),
})

const Output = z.strictObject({
  total: z.int().describe('Addresses, each counted once.'),
  successful: z.int(),
  failed: z.int(),
  not_requested: z.int().describe('Addresses that were skipped because enough good pages had been found.'),
  saved_files: z.array(z.strictObject({ url: z.string(), file: z.string(), path: z.string().describe('Absolute.') })),
  errors: z.array(z.strictObject({ url: z.string(), error: z.string() })),
})

export function createCrawlParallel(settings: CrawlSettings): Tool {
  let turns: CrawlTurns | undefined
  return tool({
    name: 'crawl_parallel',
    title: 'Crawl pages',
    description:
      'Fetches web pages in parallel, extracts their main text without navigation and advertisements, and saves each as Markdown with title, source, date, description and word count. PDFs and text files are read too. If a page fails, the reason is reported and the others continue.',
    input: Input,
    output: Output,
    readOnly: false,
    destructive: true,
    idempotent: true,
    openWorld: true,
    examples: [
      { urls: ['https://example.com/article', 'https://example.org/paper.pdf'], session_dir: 'session' },
      {
        urls: ['https://example.com/a', 'https://example.com/b'],
        session_dir: 'session',
        batch_size: 5,
        target_successes: 2,
      },
    ],
    failure: 'Error crawling pages',
    async run(input, call) {
      await checkFolder(input.session_dir, call)
      const [{ crawl }, { createCrawlTurns }] = await Promise.all([
        import('../crawl/crawl.ts'),
        import('../crawl/crawl-turns.ts'),
      ])
      turns ??= createCrawlTurns(settings)
      const folder = `${input.session_dir.replace(/[/\\]+$/, '')}/${FOLDER}`
      const { workspace, signal } = call
      const { total, saved, errors } = await crawl(
        {
          urls: input.urls,
          batchSize: input.batch_size,
          target: input.target_successes,
          signal,
          save: async (name, content) => (await workspace.write(`${folder}/${name}`, content)).path,
          progress: (done, of, message) => call.progress(done, of, message),
        },
        settings,
        turns,
      )
      const structured = {
        total,
        successful: saved.length,
        failed: errors.length,
        not_requested: total - saved.length - errors.length,
        saved_files: [...saved],
        errors: [...errors],
      }
      return { text: JSON.stringify(structured), structured }
    },
  })
}

/** Refuses a folder outside of the roots before anything is fetched. */
async function checkFolder(path: string, { workspace }: ToolCall): Promise<void> {
  try {
    await workspace.list(path, 1)
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code !== 'NOT_FOUND') throw thrown
  }
}
