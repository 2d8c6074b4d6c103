/**
 * Determines which rows of the ledger are proven, and by which tests. A test claims a row by carrying its id in its title; a row
 * is proven when at least one test claims it and every test that does passed in the last whole run. Nothing else proves a row: no
 * comment, no file name, no word in a document.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const LEDGER = 'docs/reference/requirements.md'
const REPORT = '.reports/vitest.json'

/** One row of docs/reference/requirements.md; `kind` is M, D, F, N or S, U for a unified decision, and C for a row of our own. */
export interface LedgerRow {
  readonly id: string
  readonly kind: string
  readonly requirement: string
  readonly check: string
}

/** One test of a report: its describe names and title in one line, and vitest's word for how it ended. */
export interface ReportedTest {
  readonly title: string
  readonly status: string
}

/** The tests' results for the rows. `unknown` are ids in titles that no row has. */
export interface Proof {
  readonly rows: readonly { id: string; proven: boolean; tests: readonly ReportedTest[] }[]
  readonly unknown: readonly { id: string; title: string }[]
}

/** The rows of the ledger's tables, in their order. Throws when an id stands twice or a row has lost a cell. */
export function parseLedger(markdown: string): LedgerRow[] {
  const rows = markdown.split('\n').flatMap((line) => {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
    const id = cells[1] ?? ''
    if (/^(?:S[0-4]|C)-[A-Z]+-\d+$/.test(id)) return [rowOf(id, cells[3], cells[4], cells[5])]
    if (/^U-\d+$/.test(id)) return [rowOf(id, 'U', cells[5], cells[6])]
    return []
  })
  const seen = new Set<string>()
  for (const { id } of rows) {
    if (seen.has(id)) throw new Error(`${LEDGER} has the row ${id} twice`)
    seen.add(id)
  }
  return rows
}

function rowOf(
  id: string,
  kind: string | undefined,
  requirement: string | undefined,
  check: string | undefined,
): LedgerRow {
  if (!kind || !requirement || !check) throw new Error(`${LEDGER}: the row ${id} lacks a cell`)
  return { id, kind, requirement, check }
}

/** The tests of a report by vitest's JSON reporter (vitest.dev/guide/reporters, "JSON reporter"). */
export function parseReport(json: string): ReportedTest[] {
  const report = JSON.parse(json) as {
    testResults: { assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[]
  }
  return report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      title: [...ancestorTitles, title].join(' > '),
      status,
    })),
  )
}

/** Holds the tests against the rows. */
export function prove(rows: readonly LedgerRow[], tests: readonly ReportedTest[]): Proof {
  const claims = new Map<string, ReportedTest[]>(rows.map(({ id }) => [id, []]))
  const unknown: { id: string; title: string }[] = []
  for (const test of tests) {
    for (const id of idsIn(test.title)) {
      const claimed = claims.get(id)
      if (claimed) claimed.push(test)
      else unknown.push({ id, title: test.title })
    }
  }
  return {
    rows: [...claims].map(([id, tests]) => ({
      id,
      proven: tests.length > 0 && tests.every(({ status }) => status === 'passed'),
      tests,
    })),
    unknown,
  }
}

/** Looser than the ids of the ledger, so that a mistyped one is an error rather than no claim. */
function idsIn(title: string): Set<string> {
  return new Set(title.match(/\b(?:(?:S\d+|C)-[A-Z]+-\d+|U-\d+)\b/g))
}

/** Formats the output of `--json`. */
export function describeAsJson({ rows }: Proof): string {
  const proven = rows.filter((row) => row.proven).length
  const plain = rows.map(({ id, proven, tests }) => ({ id, proven, tests: tests.map(({ title }) => title) }))
  return JSON.stringify({ total: rows.length, proven, rows: plain })
}

/** Formats the output for a reader: the proven rows with their tests, those claimed in vain, and the count by section. */
export function describeAsTable({ rows }: Proof): string {
  const proven = rows.filter((row) => row.proven)
  const inVain = rows.filter((row) => !row.proven && row.tests.length > 0)
  const sections = [...new Set(rows.map(sectionOf))]
  const countIn = (section: string, of: Proof['rows']) => of.filter((row) => sectionOf(row) === section).length
  return [
    'Proven:',
    ...proven.flatMap(linesOf),
    ...(inVain.length > 0 ? ['', 'Claimed, but not every test passed:', ...inVain.flatMap(linesOf)] : []),
    '',
    ...sections.map((section) => `${section.padEnd(4)}${countIn(section, proven)} of ${countIn(section, rows)}`),
    `${'all'.padEnd(4)}${proven.length} of ${rows.length} rows are proven`,
  ].join('\n')
}

const sectionOf = ({ id }: { id: string }) => id.split('-')[0] ?? id

function linesOf({ id, tests }: Proof['rows'][number]): string[] {
  return tests.map(({ title, status }, index) => {
    const note = status === 'passed' ? '' : `(${status}) `
    return `  ${(index === 0 ? id : '').padEnd(12)}${note}${title}`
  })
}

async function main(words: readonly string[]): Promise<number> {
  const report = await readFile(join(root, REPORT), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (report === undefined) {
    console.error(`There is no test report yet (${REPORT}): run npm test -- --full first.`)
    return 1
  }
  const proof = prove(parseLedger(await readFile(join(root, LEDGER), 'utf8')), parseReport(report))
  console.log(words.includes('--json') ? describeAsJson(proof) : describeAsTable(proof))
  for (const { id, title } of proof.unknown) console.error(`The ledger has no row ${id}, which a test claims: ${title}`)
  return proof.unknown.length > 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
