/**
 * Tests that SQL is never built from text. Every statement in the gateway's code is found by TypeScript's own parser: only tagged
 * templates are allowed, whose values travel beside the statement, and only `db/` uses the driver.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '../../packages/gateway/src')
const files = globSync('**/*.ts', { cwd: SRC }).filter((file) => !/\.test\.|^testing\//.test(file))
const inDb = (file: string): boolean => file.startsWith('db/')

/** A tagged template in which a table and a column of the vault's own list are named, which no parameter can do. */
const namesColumns = (node: ts.Node): boolean =>
  ts.isCallExpression(node) &&
  node.arguments[0] !== undefined &&
  ts.isCallExpression(node.arguments[0]) &&
  node.arguments[0].expression.getText() === 'withNames' &&
  node.arguments[0].arguments[0]?.getText() === 'texts'

/** Returns the violations in a file, by line. `templates` counts the correct statements. */
function look(file: string, text: string) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const wrong: string[] = []
  let templates = 0
  const complain = (node: ts.Node, problem: string) =>
    wrong.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${problem}`)

  function visitCall(node: ts.CallExpression): void {
    const { expression, parent } = node
    if (ts.isIdentifier(expression) && expression.text === 'sql') {
      if ((ts.isTaggedTemplateExpression(parent) && parent.tag === node) || namesColumns(parent)) templates++
      else complain(node, 'sql(…) is no tag of a template')
    }
    const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : ''
    const asked = ts.isPropertyAccessExpression(expression) ? expression.expression.getText() : ''
    if (name === 'query' && !inDb(file) && !/\breq$/.test(asked)) complain(node, 'a statement beside sql(…)')
    if (/^(unsafe|raw)$/.test(name)) complain(node, `.${name}(…)`)
  }

  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) visitCall(node)
    if (ts.isImportDeclaration(node) && /^['"]pg['"]$/.test(node.moduleSpecifier.getText()) && !inDb(file))
      complain(node, 'the driver')
    if (ts.isAsExpression(node) && /TemplateStringsArray/.test(node.type.getText()))
      complain(node, 'a template made of text')
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { wrong, templates }
}

describe('S3-SEC-02: SQL', () => {
  test('is made by tagged templates only, whose values are parameters', { tags: 'long' }, () => {
    const looked = files.map((file) => look(file, readFileSync(join(SRC, file), 'utf8')))
    expect(looked.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(looked.reduce((sum, { templates }) => sum + templates, 0)).toBeGreaterThan(30)
  })

  test.each([
    ['sql(Row)(text as unknown as TemplateStringsArray)', 2],
    ['const tag = sql(Row); void tag(makeTemplate(text))', 1],
    ['pool.query(`select ${name}`)', 1],
    ["import pg from 'pg'", 1],
    ['sql.unsafe(text)', 1],
    ['sql(Row)`select ${name}`', 0],
  ])('%s has %i faults', (text, faults) => {
    expect(look('records/x.ts', text).wrong).toHaveLength(faults)
  })
})
