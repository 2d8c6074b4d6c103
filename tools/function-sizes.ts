/**
 * `node tools/function-sizes.ts` fails for a function of more than 80 lines and for a class of more than 200; `npm run check` runs it.
 * With `--all` it lists the functions of more than 60, longest first. Tests and generated files are exempt.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'

const MOST_LINES = { function: 80, class: 200 } as const
const SHOWN_LINES = 60
/** Longer ones that are left, and their lines. A number may only fall, and a row goes when it is within the limit. */
const LONGER: Readonly<Record<string, number>> = {
  'packages/gateway/src/features/accounts/credentials.start.ts startCredentials': 99,
  'packages/gateway/src/app/database-notifications.ts hearDatabaseNotifications': 93,
}
const root = resolve(import.meta.dirname, '..')

interface Found {
  readonly kind: keyof typeof MOST_LINES
  readonly file: string
  readonly name: string
  readonly line: number
  readonly lines: number
}

const sources = globSync(['packages/*/src/**/*.{ts,tsx}', 'tools/**/*.{ts,mjs}', 'examples/**/*.ts'], {
  cwd: root,
}).filter((file) => !/\.test\.|\/testing\/|\.script\.ts$/.test(file))
const found = sources.flatMap((file) => measuredIn(file)).sort((a, b) => b.lines - a.lines)
const rowOf = ({ file, name }: Found) => `${file} ${name}`
const isLong = ({ kind, lines }: Found) => lines > MOST_LINES[kind]
const long = found.filter(isLong)
const tooLong = long.filter((item) => item.lines > (LONGER[rowOf(item)] ?? 0))
const rows = new Set(long.map(rowOf))
const done = Object.keys(LONGER).filter((row) => !rows.has(row))

const shown = found.filter((item) => isLong(item) || (item.kind === 'function' && item.lines > SHOWN_LINES))
for (const { lines, file, line, name } of process.argv.includes('--all') ? shown : tooLong)
  console.log(`${String(lines).padStart(4)}  ${file}:${line}  ${name}`)
for (const row of done) console.log(`${row} is within the limit: take its row out of tools/function-sizes.ts.`)
const { function: ofFunction, class: ofClass } = MOST_LINES
console.log(
  `${tooLong.length} too long, ${long.length - tooLong.length} of ${Object.keys(LONGER).length} known longer ones: ${ofFunction} lines of a function, ${ofClass} of a class.`,
)
process.exitCode = tooLong.length + done.length > 0 ? 1 : 0

function measuredIn(file: string): Found[] {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const measured: Found[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined)
      measured.push(measure('function', file, source, node))
    else if (ts.isClassLike(node)) measured.push(measure('class', file, source, node))
    node.forEachChild(visit)
  }
  visit(source)
  return measured
}

function measure(
  kind: Found['kind'],
  file: string,
  source: ts.SourceFile,
  node: ts.SignatureDeclaration | ts.ClassLikeDeclaration,
): Found {
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const [first, last] = [lineOf(node.getStart(source)), lineOf(node.getEnd())]
  return { kind, file, name: nameOf(node), line: first + 1, lines: last - first + 1 }
}

/** Its own name, or that of the variable or member that it is the value of. */
function nameOf(node: ts.SignatureDeclaration | ts.ClassLikeDeclaration): string {
  if (node.name !== undefined) return node.name.getText()
  const { parent } = node
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText()
  return '(anonymous)'
}
