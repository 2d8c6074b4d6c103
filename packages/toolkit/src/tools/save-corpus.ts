/** `save_corpus`: what was read for a report, in one file (ledger S4-TK-02 to S4-TK-04). */
import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { tool } from './tool.ts'

const FILE = 'expanded_corpus.json'

const Article = z.object({
  url: z.string(),
  title: z.string().default(''),
  content: z.string().default('').describe('Full Markdown; it is not shortened.'),
  status: z.enum(['success', 'failed']).default('failed').describe('If omitted, the article counts as failed.'),
})

export const saveCorpus = tool({
  name: 'save_corpus',
  title: 'Save corpus',
  description: `Writes the articles that were read into ${FILE} in a folder on this machine, in full. An existing corpus is replaced.`,
  input: z.strictObject({
    articles: z.array(Article).max(LIMITS.articles),
    workspace_path: z
      .string()
      .min(1)
      .describe('The folder, relative to the workspace of the session or absolute within it.'),
  }),
  output: z.strictObject({
    success: z.literal(true),
    corpus_path: z.string().describe('Absolute.'),
    articles_saved: z.int(),
    successful: z.int(),
    failed: z.int(),
    total_content_bytes: z.int().describe('Size of the content of successful articles, in UTF-8 bytes.'),
  }),
  examples: [
    {
      articles: [{ url: 'https://example.com/a', title: 'A page', content: '# A page\n', status: 'success' }],
      workspace_path: 'session',
    },
  ],
  readOnly: false,
  destructive: true,
  idempotent: true,
  openWorld: false,
  failure: 'Error saving corpus',
  async run({ articles, workspace_path: folder }, { workspace, signal }) {
    const good = articles.filter(({ status }) => status === 'success')
    const counts = { successful: good.length, failed: articles.length - good.length }
    const corpus = {
      extraction_timestamp: new Date().toISOString(),
      total_articles: articles.length,
      ...counts,
      articles,
    }
    const { path } = await workspace.write(`${folder}/${FILE}`, JSON.stringify(corpus, null, 2), { signal })
    const structured = {
      success: true as const,
      corpus_path: path,
      articles_saved: articles.length,
      ...counts,
      total_content_bytes: good.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0),
    }
    return { text: JSON.stringify(structured), structured }
  },
})
