/**
 * The sentences in sources of the gateway, as templates whose blanks are `{}`, so that a test can tell which of them lack German. Sentences
 * are collected where they are written: no list of them has to be kept.
 */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'

const ROOT = resolve(import.meta.dirname, '../../..')

const parsed = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(resolve(ROOT, path), 'utf8'), ts.ScriptTarget.Latest, true)

/** Files of a pattern below the root, without tests. */
const sourcesOf = (patterns: readonly string[]): ts.SourceFile[] =>
  globSync([...patterns], { cwd: ROOT })
    .filter((path) => !path.includes('.test.'))
    .sort()
    .map((path) => parsed(path))

/** Undefined for what is no text. */
function templateOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('')
}

/** Two words, one after the other. */
const isProse = (text: string): boolean => /[a-z]{2}[,:;]? [a-z"({]/.test(text) || /[})"] [a-z]{2}/.test(text)

/** Errors that are the gateway's own, which nobody is told. */
const isOwnError = (node: ts.Node): boolean =>
  ts.isNewExpression(node) && /^(?:Type|Range|Syntax)?Error$/.test(node.expression.getText())

/** Every text of these files that is more than a word. */
export function proseIn(patterns: readonly string[]): string[] {
  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (isOwnError(node)) return
    const text = templateOf(node)
    if (text !== undefined && isProse(text)) found.add(text)
    node.forEachChild(visit)
  }
  for (const source of sourcesOf(patterns)) visit(source)
  return [...found]
}
