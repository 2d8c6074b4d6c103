import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { fileNameOf, pageFile } from './page-file.ts'

const extract = { title: 'A page', description: '', date: '', text: '# A page\n\nText.', words: 3 }
const frontOf = (file: string) => parse(/^---\n([\s\S]*?)\n---\n/.exec(file)?.[1] ?? '') as Record<string, unknown>

test('front matter stands for what it holds, whatever a title or a date tries', () => {
  for (const hostile of [
    'x"\nsource: "https://evil.example"\n---\n# other',
    "it's: {a: [b]} # & *x !tag |",
    '--- \r\n... %YAML \u2028 \u2029 \u0085 \u0000 \u009b \uFEFF',
    'null',
    '\\" , \\u0041 \ud800',
  ]) {
    const file = pageFile(
      { ...extract, title: hostile, description: hostile, date: hostile },
      'https://example.com/?a="b"',
    )
    const front = frontOf(file)
    const shown = hostile.replaceAll(/\s+/g, ' ').trim().toWellFormed()
    expect(front).toEqual({
      title: shown,
      source: 'https://example.com/?a="b"',
      date: shown.slice(0, 100),
      description: shown,
      word_count: 3,
    })
    expect(file.split('\n').filter((line) => line === '---')).toHaveLength(2)
  }
})

test('a date is told as a day, and as null where the page says none', () => {
  const dateOf = (date: string) => frontOf(pageFile({ ...extract, date }, 'https://example.com'))['date']
  expect(dateOf('2026-03-14T08:00:00+01:00')).toBe('2026-03-14')
  expect(dateOf('14. März 2026')).toBe('14. März 2026')
  expect(dateOf('')).toBeNull()
})

test('a file is named by twelve digits of its address', () => {
  expect(fileNameOf('https://example.com')).toBe('crawl_c984d06aafbe.md')
})
