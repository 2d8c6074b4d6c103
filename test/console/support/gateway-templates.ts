/**
 * The sentences in sources of the gateway, as templates whose blanks are `BLANK`, so that a test can tell which of them lack German. Sentences
 * are collected where they are written: no list of them has to be kept.
 */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'

/** Stands for what is put in; no sentence has it of its own. */
export const BLANK = '{…}'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Files of some patterns below the root that say something of the sort, without tests, and without commands, which speak English only. */
const sourcesOf = (patterns: readonly string[], says = /./): ts.SourceFile[] =>
  globSync([...patterns], { cwd: ROOT })
    .filter((path) => !/\.(?:test|command)\./.test(path))
    .sort()
    .map((path) => [path, readFileSync(resolve(ROOT, path), 'utf8')] as const)
    .filter(([, text]) => says.test(text))
    .map(([path, text]) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))

function nodesOf(root: ts.Node): ts.Node[] {
  const all = [root]
  for (const node of all) node.forEachChild((child) => void all.push(child))
  return all
}

/** Undefined for what is no text. */
function templateOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({ literal }) => BLANK + literal.text).join('')
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

/** The texts among the values that an expression can have; a name stands for the constant of the same file. */
function textsOf(node: ts.Expression): string[] {
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression)
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)]
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
    return [...textsOf(node.left), ...textsOf(node.right)]
  const meant = ts.isIdentifier(node) ? constantOf(node) : node
  const text = meant === undefined ? undefined : templateOf(meant)
  return text === undefined ? [] : [text]
}

function constantOf(name: ts.Identifier): ts.Expression | undefined {
  for (const node of nodesOf(name.getSourceFile()))
    if (ts.isVariableDeclaration(node) && node.name.getText() === name.text) return node.initializer
  return undefined
}

const memberOf = (node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined =>
  node.properties.flatMap((member) => {
    if (member.name?.getText() !== name) return []
    if (ts.isPropertyAssignment(member)) return [member.initializer]
    return ts.isShorthandPropertyAssignment(member) ? [member.name] : []
  })[0]

/** `/settings/url`, as JSON pointers name what is wrong. */
const isPlace = (node: ts.Expression | undefined): boolean =>
  node !== undefined && /^\/[a-z{]/.test(templateOf(node) ?? '')

/**
 * Problems of requests, in the gateway's own words: the problems that go with a place, those that are handed to a function which
 * makes such a fault, and the messages of shapes.
 */
export function problemsIn(patterns: readonly string[]): string[] {
  const found = new Set<string>()
  for (const source of sourcesOf(patterns, /\b(?:problem|mismatch|say)\b|from 'zod'/)) {
    const speakers = speakersIn(source)
    for (const node of nodesOf(source)) for (const text of problemsAt(node, speakers)) found.add(text)
  }
  return [...found].filter((text) => text !== '' && text !== BLANK)
}

function problemsAt(node: ts.Node, speakers: ReadonlyMap<string, number>): string[] {
  if (ts.isObjectLiteralExpression(node)) {
    const problem = memberOf(node, 'problem')
    if (problem !== undefined && memberOf(node, 'place') !== undefined) return textsOf(problem)
  }
  if (!ts.isCallExpression(node)) return []
  const [first, second] = node.arguments
  if (isPlace(first) && second !== undefined) return textsOf(second).filter(isProse)
  const name = node.expression.getText()
  const problem = node.arguments[speakers.get(name) ?? -1]
  if (problem !== undefined) return textsOf(problem)
  return /\.(?:refine|regex|check|addIssue|url|min|max)$|^z\./.test(name)
    ? node.arguments.flatMap((argument, index) => messagesIn(argument, index))
    : []
}

/** The message of a shape is its second argument, or the member of one. */
function messagesIn(node: ts.Expression, index: number): string[] {
  if (!ts.isObjectLiteralExpression(node)) return index === 1 ? textsOf(node).filter(isProse) : []
  return ['error', 'message'].flatMap((name) => {
    const message = memberOf(node, name)
    return message === undefined ? [] : textsOf(message)
  })
}

/** Functions that make the fault of what they are handed as `problem`, and its position. */
function speakersIn(source: ts.SourceFile): Map<string, number> {
  const speakers = new Map<string, number>()
  for (const node of nodesOf(source)) {
    const named = ts.isVariableDeclaration(node) ? node.initializer : node
    if (named === undefined || !(ts.isArrowFunction(named) || ts.isFunctionDeclaration(named))) continue
    const name = ts.isVariableDeclaration(node) ? node.name.getText() : named.name?.getText()
    const at = named.parameters.findIndex((parameter) => parameter.name.getText() === 'problem')
    const makes = /'(?:body|params)\.shape'|mismatch\(/.test(named.body?.getText() ?? '')
    if (name !== undefined && at >= 0 && makes) speakers.set(name, at)
  }
  return speakers
}
