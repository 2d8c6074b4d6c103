/**
 * Reads what people read: documents, the texts of the console and of the gateway's pages, faults and the command line. Spelling by cspell, with the words of this
 * project in cspell.json; style by write-good; and phrases that were replaced once do not come back.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, TYPE } from '@formatjs/icu-messageformat-parser'
import ts from 'typescript'
import writeGood from 'write-good'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/README.md', 'docs/index.md', 'docs/guides/*.md']
/** German is spelled by other rules. */
const CATALOGUES = [
  'packages/console/src/texts/en/*.json',
  'packages/console/src/features/*/texts/en.json',
  'packages/gateway/src/http/pages/texts/en.json',
]
const SOURCES = [
  'packages/contract/src/faults.ts',
  'packages/contract/src/rule-actions/*.ts',
  'packages/contract/src/kinds/*.ts',
  'packages/contract/src/admin/*.ts',
  'packages/contract/src/features/**/*.ts',
  'packages/gateway/src/cli/**/*.ts',
  'packages/gateway/src/features/*/*.command.ts',
  'packages/gateway/src/config/**/*.ts',
]
/** The spelling of the reference is that of its sources. */
const SPELLED = [
  ...DOCUMENTS,
  'CHANGELOG.md',
  'docs/reference/faults.md',
  'docs/reference/config.md',
  ...CATALOGUES,
  'packages/contract/src/faults.ts',
  'packages/contract/src/rule-actions/*.ts',
]

const REPLACED = [
  /\banew\b/i,
  /\bany more\b/i,
  /\bwho(m|se)?ever\b/i,
  /\bby itself\b/i,
  /\bis another\b/i,
  /\bspeaks? of\b/i,
  /\bis there, and (?!it)/i,
  /\bfor good\b/i,
  /\bgiven up\b|\bgive up\b/i,
  /\bsays? yes\b|\bsaid yes\b/i,
  /\blooks? after\b/i,
  /\bsomebody\b/i,
  /\bif unsaid\b|\bunless said\b/i,
  /\bHalf (of them )?takes? less\b/i,
  /\b95 of 100\b/i,
  /\blatest news\b/i,
  /\bwent well\b/i,
  /\bbound (how|sizes)\b/i,
  /\bwhat destroys\b/i,
  /\bbefore it bites\b/i,
  /\bone no is a no\b/i,
  /\blets? you in\b/i,
  /\bnothing else of its\b/i,
  /\bfound out by\b/i,
  /\bfor everybody of\b/i,
]
/** A noun clause in the place of a noun: "What it offers", "Who calls". */
const NOUN_CLAUSE = /^(?:What|Who|Whose|Which) (?!.*\?$)(?!your\b)(?!can\b)[a-z]/

/** Names that do not say what a value is. Their number may only fall. */
const VAGUE = new Set(['one', 'said', 'told', 'asked', 'held', 'kept', 'brought', 'heard', 'wanted', 'given'])
const MOST_VAGUE = 1_030

/** Repeated words and clichés. Its other advice, such as "limit" for "maximum", does not suit technical texts. */
const STYLE = {
  passive: false,
  eprime: false,
  adverb: false,
  weasel: false,
  thereIs: false,
  so: false,
  tooWordy: false,
}
/** Cells and code in a row are no repeated words. */
const NOT_WORDS = /^"[^\p{L}]*"|"…|…"/u

const found = [...proseOfDocuments(), ...textsOfSources(), ...textsOfCatalogues()].flatMap(({ place, text }) =>
  problemsOf(text).map((what) => `${place}: ${what}`),
)
for (const line of found) console.log(line)
const spelling = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules/cspell/bin.mjs'),
    'lint',
    '--no-progress',
    '--no-summary',
    '--dot',
    ...SPELLED,
    '!**/*.test.ts',
  ],
  { cwd: ROOT, encoding: 'utf8' },
)
if (spelling.error) throw spelling.error
process.stdout.write(spelling.stdout + spelling.stderr)
const vague = countVague()
console.log(`${vague} identifiers of ${MOST_VAGUE} at most do not say what a value is (${[...VAGUE].join(', ')})`)
process.exitCode = found.length === 0 && spelling.status === 0 && vague <= MOST_VAGUE ? 0 : 1

/** Identifiers of the packages, without tests. */
function countVague() {
  let count = 0
  for (const file of globSync('packages/*/src/**/*.{ts,tsx}', { cwd: ROOT })) {
    if (/\.test\.|\/testing\//.test(file)) continue
    const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, false)
    const visit = (node) => {
      if (ts.isIdentifier(node) && VAGUE.has(node.text)) count += 1
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return count
}

function problemsOf(text) {
  const sentences = text.split(/(?<=[.!?:;])\s+/)
  const odd = sentences.flatMap((sentence) => [
    ...REPLACED.flatMap((phrase) => phrase.exec(sentence)?.[0] ?? []).map((word) => `“${word}” in “${sentence}”`),
    ...(NOUN_CLAUSE.test(sentence) ? [`a noun clause begins “${sentence}”`] : []),
  ])
  const style = writeGood(text, STYLE).flatMap(({ reason }) =>
    NOT_WORDS.test(reason) ? [] : [`${reason} in “${text}”`],
  )
  return [...odd, ...style]
}

/** Each line of prose, without code in it. */
function* proseOfDocuments() {
  for (const file of globSync(DOCUMENTS, { cwd: ROOT })) {
    let code = false
    for (const [at, line] of readFileSync(join(ROOT, file), 'utf8').split('\n').entries()) {
      if (line.startsWith('```')) code = !code
      else if (!code)
        for (const cell of line.split('|'))
          yield {
            place: `${file}:${at + 1}`,
            text: cell
              .replaceAll(/`[^`]*`/g, '…')
              .replaceAll(/\]\([^)]*\)/g, ']')
              .trim(),
          }
    }
  }
}

/** Each text of three words or more. */
function* textsOfSources() {
  for (const file of globSync(SOURCES, { cwd: ROOT })) {
    if (file.includes('.test.')) continue
    const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true)
    const texts = []
    const visit = (node) => {
      if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push([node, node.text])
      else if (ts.isTemplateExpression(node))
        texts.push([node, node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')])
      ts.forEachChild(node, visit)
    }
    visit(source)
    for (const [node, text] of texts) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      const plain = text
        .replaceAll(/<[^>]*>|`[^`]*`/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()
      if (/[a-z]\S* \S+ \S+/.test(plain)) yield { place: `${file}:${line + 1}`, text: plain }
    }
  }
}

/** Each text of a catalogue; the cases of a choice are texts of their own. */
function* textsOfCatalogues() {
  for (const file of globSync(CATALOGUES, { cwd: ROOT }))
    for (const [path, message] of messagesOf(JSON.parse(readFileSync(join(ROOT, file), 'utf8'))))
      for (const text of wordsOf(parse(message, { ignoreTag: true })))
        if (/[a-z]\S* \S+ \S+/.test(text))
          yield {
            place: `${file} ${path}`,
            text: text.replaceAll(/<code>.*?<\/code>/g, '…').replaceAll(/<\/?[a-z]+>/g, ''),
          }
}

function* messagesOf(catalogue, path = '') {
  for (const [key, value] of Object.entries(catalogue))
    if (typeof value === 'string') yield [path + key, value]
    else yield* messagesOf(value, `${path}${key}.`)
}

function wordsOf(elements) {
  const whole = elements.map((element) => (element.type === TYPE.literal ? element.value : '…')).join('')
  const cases = elements.flatMap(({ options }) => Object.values(options ?? {}).flatMap(({ value }) => wordsOf(value)))
  return [whole, ...cases]
}
