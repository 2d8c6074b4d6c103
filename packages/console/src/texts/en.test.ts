/** Words for people are plain product English: phrases that were replaced once do not come back. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ODD: readonly RegExp[] = [
  /\banew\b/i,
  /\bany more\b/i,
  /\bwho(m|se)?ever\b/i,
  /\bby itself\b/i,
  /\bis another\b/i,
  /\bspeaks? of\b/i,
  /\bis there, and\b/i,
  /\bfor good\b/i,
  /\bgiven up\b|\bgive up\b/i,
  /\bsays? yes\b|\bsaid yes\b/i,
  /\blooks? after\b/i,
  /\bsomebody\b/i,
  /\bHalf (of them )?takes? less\b/i,
  // A noun clause in the place of a noun: "What it offers", "Who calls", "Where its answers go".
  /^(What|Who|Whose|Which|Where) (?!.*\?$)(?!your\b)(?!can\b)/,
]

/** Words that are read: texts in quotes, without the names of placeholders in them. */
const textsIn = (source: string): string[] =>
  [...source.replaceAll(/\/\*[^]*?\*\/|^ *\/\/.*$/gm, '').matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)].map(
    ([, plain, template]) => plain ?? (template ?? '').replaceAll(/\$\{[^}]*\}/g, '…'),
  )

test('no text of the console has a phrase that was replaced', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
  const texts = files.flatMap((name) => textsIn(readFileSync(`${import.meta.dirname}/${name}`, 'utf8')))
  expect(texts.length).toBeGreaterThan(1_500)
  expect(texts.filter((text) => ODD.some((phrase) => phrase.test(text)))).toEqual([])
})
