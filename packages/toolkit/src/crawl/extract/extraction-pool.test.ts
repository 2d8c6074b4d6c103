/**
 * Pages made to hurt whoever reads them: each ends with a sentence, and the next page is read.
 *
 * @module-tag long
 */
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { pdfOf } from '../../../../../test/crawl/pdf.ts'
import { PageProblem } from '../page-problem.ts'
import { DEFAULTS } from '../settings.ts'
import { ExtractionPool } from './extraction-pool.ts'

const never = new AbortController().signal
const ARTICLE = `<html><head><title>Fine</title></head><body><article>${'<p>A fine page of plain words.</p>'.repeat(20)}</article></body></html>`
const task = (body: string | Uint8Array, form: 'html' | 'pdf' = 'html') => ({
  form,
  contentType: '',
  url: 'https://example.com/page',
  body: typeof body === 'string' ? Buffer.from(body) : body,
})

const HOSTILE = {
  'fifty thousand boxes in one another': `<body>${'<div>'.repeat(50_000)}text`,
  'a list in a list in a list': `<body><article>${'<ul><li>a'.repeat(10_000)}</article>`,
  'tables in one another': `<body><article>${'<table><tr><td>'.repeat(5_000)}x</article>`,
  'an attribute of 5 MB': `<body><div class="${'a '.repeat(2_400_000)}"><p>${'text here. '.repeat(100)}</p></div>`,
  'half a million attributes': `<body><p ${Array.from({ length: 400_000 }, (_, at) => `a${at}=1`).join(' ')}>${'text '.repeat(100)}`,
  'two hundred thousand paragraphs': `<body>${'<p>word</p>'.repeat(200_000)}`,
  'a hundred thousand links': `<body><article>${'<a href="/x">link</a> '.repeat(100_000)}</article>`,
  'open brackets without end': `<body><article><p>${'['.repeat(200_000)}${'!['.repeat(100_000)}</p></article>`,
  'spaces between two words': `<body><article><p>a${' \n'.repeat(1_000_000)}b</p></article>`,
  'tags that never end': `<body><script>${'<!--<script>'.repeat(200_000)}`,
  'more than is read': 'x'.repeat(6 * 1024 * 1024),
}

test('hostile pages end within their limits, each alone, and the next page is read', async () => {
  await using pool = new ExtractionPool({ ...DEFAULTS, extractionTimeout: 8_000 }, never)
  for (const [name, page] of Object.entries(HOSTILE)) {
    const outcome = await pool.extract(task(page)).catch((thrown: unknown) => thrown)
    if (outcome instanceof Error) expect(outcome, name).toBeInstanceOf(PageProblem)
    expect((await pool.extract(task(ARTICLE))).title, name).toBe('Fine')
  }
})

test('a PDF that grows over all bounds, or is damaged, is given up', async () => {
  await using pool = new ExtractionPool(DEFAULTS, never)
  const bomb = pdfOf(['x'], { content: Buffer.alloc(1_200_000_000, ' ') })
  expect(bomb.length).toBeLessThan(DEFAULTS.maxBytes)
  await expect(pool.extract(task(bomb, 'pdf'))).rejects.toThrow(/too much memory|too long|no text/)
  await expect(pool.extract(task('%PDF-1.7 nothing', 'pdf'))).rejects.toThrow(/damaged/)
  const cut = pdfOf(['Some text'])
  const outcome = await pool.extract(task(cut.subarray(0, cut.length / 2), 'pdf')).catch((thrown: unknown) => thrown)
  if (outcome instanceof Error) expect(outcome).toBeInstanceOf(PageProblem)
  await expect(pool.extract(task(deflateSync('x'), 'pdf'))).rejects.toThrow(PageProblem)
  expect((await pool.extract(task(pdfOf(['Hello from page one', 'and two']), 'pdf'))).text).toBe(
    'Hello from page one\n\nand two',
  )
})

test('a pool whose call is cancelled ends the page that it reads', async () => {
  const leaving = new AbortController()
  await using pool = new ExtractionPool(DEFAULTS, leaving.signal)
  const reading = pool.extract(task(HOSTILE['fifty thousand boxes in one another']))
  const waiting = pool.extract(task(ARTICLE))
  const third = pool.extract(task(ARTICLE))
  await waiting
  leaving.abort(new Error('left'))
  await expect(reading).rejects.toThrow('left')
  await Promise.allSettled([third])
})
