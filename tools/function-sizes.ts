/**
 * `node tools/function-sizes.ts` lists the functions of the sources that have more than 60 lines, longest first. It fails for one of
 * more than 100 lines; `npm run check` runs it. Tests and generated files are exempt.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'

const LONG_LINES = 100
const SHOWN_LINES = 60
const root = resolve(import.meta.dirname, '..')

interface Found {
  readonly file: string
  readonly name: string
  readonly line: number
  readonly lines: number
}

const sources = globSync(['packages/*/src/**/*.{ts,tsx}', 'tools/**/*.{ts,mjs}', 'examples/**/*.ts'], {
  cwd: root,
}).filter((file) => !/\.test\.|\/testing\/|\.script\.ts$/.test(file))
const found = sources
  .flatMap((file) => functionsIn(file))
  .filter(({ lines }) => lines > SHOWN_LINES)
  .sort((a, b) => b.lines - a.lines)
const tooLong = found.filter(({ lines }) => lines > LONG_LINES)

for (const { lines, file, line, name } of process.argv.includes('--all') ? found : tooLong)
  console.log(`${String(lines).padStart(4)}  ${file}:${line}  ${name}`)
console.log(`${tooLong.length} functions over ${LONG_LINES} lines, ${found.length} over ${SHOWN_LINES}.`)
process.exitCode = tooLong.length > 0 ? 1 : 0

function functionsIn(file: string): Found[] {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const functions: Found[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined)
      functions.push(measure(file, source, node))
    node.forEachChild(visit)
  }
  visit(source)
  return functions
}

function measure(file: string, source: ts.SourceFile, node: ts.SignatureDeclaration): Found {
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const [first, last] = [lineOf(node.getStart(source)), lineOf(node.getEnd())]
  return { file, name: nameOf(node), line: first + 1, lines: last - first + 1 }
}

/** Its own name, or that of the variable or member that it is the value of. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText()
  const { parent } = node
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText()
  return '(anonymous)'
}
