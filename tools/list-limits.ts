/**
 * Finds questions of the console that take a page of a list for the whole of it: a constant `limit` without `offset`, `cursor` or
 * `search` beside it. A few rows, such as the newest five, are no list. test/list-limits.test.ts runs it.
 */
import ts from 'typescript'

/** Up to so many rows are an excerpt, and look like one. */
const EXCERPT_ROWS = 10
const PAGERS = new Set(['offset', 'cursor', 'search', 'page'])

export interface CutList {
  readonly line: number
  readonly text: string
}

export function cutListsIn(file: string, text: string): CutList[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: CutList[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node) && isCut(node))
      found.push({
        line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
        text: node.getText(source),
      })
    node.forEachChild(visit)
  }
  visit(source)
  return found
}

function isCut(node: ts.ObjectLiteralExpression): boolean {
  const limit = node.properties.find((property) => nameOf(property) === 'limit')
  if (limit === undefined || !ts.isPropertyAssignment(limit) || !isMany(limit.initializer)) return false
  return !node.properties.some((property) =>
    ts.isSpreadAssignment(property)
      ? [...PAGERS].some((pager) => property.getText().includes(pager))
      : PAGERS.has(nameOf(property) ?? ''),
  )
}

const nameOf = ({ name }: ts.ObjectLiteralElementLike): string | undefined =>
  name !== undefined && ts.isIdentifier(name) ? name.text : undefined

/** A number, or a constant in capitals that this file does not give a small value. */
function isMany(value: ts.Expression): boolean {
  if (ts.isNumericLiteral(value)) return Number(value.text.replaceAll('_', '')) > EXCERPT_ROWS
  if (!ts.isIdentifier(value) || !/^[A-Z][A-Z_]*$/.test(value.text)) return false
  const [, rows] = new RegExp(`const ${value.text} = ([\\d_]+)$`, 'm').exec(value.getSourceFile().text) ?? []
  return rows === undefined || Number(rows.replaceAll('_', '')) > EXCERPT_ROWS
}
