import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeAsTable, parseLedger, parseReport, prove } from './requirements.ts'

const root = join(import.meta.dirname, '..')
const ledger = await readFile(join(root, 'docs/reference/requirements.md'), 'utf8')
const rows = parseLedger(ledger)

const small = parseLedger(
  [
    '| ID | Seed | K | Requirement | Check |',
    '| S3-RATE-01 | S3 | M | A bucket per tenant. | unit |',
    '| S3-RATE-02 | S3 | M | Over the limit: 429. | http |',
    '| U-13 | Errors | S1-ERR-* | numbers, words | One catalog. | unit |',
  ].join('\n'),
)

describe('the ledger', () => {
  test('has 408 rows of the five seeds, 30 unified decisions, and our own', () => {
    const count = (section: string) => rows.filter(({ id }) => id.startsWith(`${section}-`)).length
    expect(['S0', 'S1', 'S2', 'S3', 'S4', 'U'].map(count)).toEqual([73, 96, 72, 119, 48, 30])
    expect(rows).toHaveLength(438 + count('C'))
    expect(count('C')).toBeGreaterThanOrEqual(23)
  })

  test('counts kinds as its own preface does', () => {
    const count = (kind: string) => rows.filter((row) => row.kind === kind).length
    expect(['M', 'D', 'F', 'N', 'S'].map((kind) => `${kind} ${count(kind)}`).join(', ')).toBe(
      /by kind ([^.]+)\./.exec(ledger)?.[1],
    )
  })

  test('gives each row its requirement and how it is checked', () => {
    expect(rows.find(({ id }) => id === 'S0-PRX-12')).toEqual({
      id: 'S0-PRX-12',
      kind: 'M',
      requirement: 'Workspace isolation is enforced on every list and execute from the validated context.',
      check: 'http: key of A cannot list or execute an app of B (404)',
    })
  })

  test('refuses a row that stands twice or has lost a cell', () => {
    expect(() => parseLedger('| U-01 | a | b | c | d | e |\n| U-01 | a | b | c | d | e |')).toThrow(
      'the row U-01 twice',
    )
    expect(() => parseLedger('| S0-ARC-01 | S0 | M | Only a requirement. |')).toThrow('S0-ARC-01 lacks a cell')
  })
})

describe('a row', () => {
  const provenBy = (...tests: { title: string; status: string }[]) =>
    prove(small, tests)
      .rows.filter(({ proven }) => proven)
      .map(({ id }) => id)

  test('is proven when the test that carries its id passed', () => {
    expect(provenBy({ title: 'S3-RATE-02: over the limit answers 429', status: 'passed' })).toEqual(['S3-RATE-02'])
  })

  test('is not proven when one of two tests failed, was skipped or is still to be written', () => {
    const passed = { title: 'U-13: one table', status: 'passed' }
    for (const status of ['failed', 'skipped', 'pending', 'todo']) {
      expect(provenBy(passed, { title: 'U-13: and the door words it', status })).toEqual([])
    }
  })

  test('is not proven by a test that does not name it', () => {
    expect(provenBy({ title: 'over the limit answers 429 (GPU-13, S3-RATE)', status: 'passed' })).toEqual([])
  })

  test('may share its test with other rows', () => {
    expect(provenBy({ title: 'S3-RATE-01, S3-RATE-02 and U-13 hold', status: 'passed' })).toEqual([
      'S3-RATE-01',
      'S3-RATE-02',
      'U-13',
    ])
  })

  test('is shown with its tests, and apart when a test of it failed', () => {
    const table = describeAsTable(
      prove(small, [
        { title: 'S3-RATE-01: a bucket', status: 'passed' },
        { title: 'U-13: one table', status: 'failed' },
      ]),
    )
    expect(table.split('\n')).toEqual([
      'Proven:',
      '  S3-RATE-01  S3-RATE-01: a bucket',
      '',
      'Claimed, but not every test passed:',
      '  U-13        (failed) U-13: one table',
      '',
      'S3  1 of 2',
      'U   0 of 1',
      'all 1 of 3 rows are proven',
    ])
  })
})

test('the id may stand in the name of a describe', () => {
  const report = {
    testResults: [
      { assertionResults: [{ ancestorTitles: ['U-13'], title: 'each code has its status', status: 'passed' }] },
    ],
  }
  const tests = parseReport(JSON.stringify(report))
  expect(tests).toEqual([{ title: 'U-13 > each code has its status', status: 'passed' }])
  expect(prove(small, tests).rows.at(-1)).toEqual({ id: 'U-13', proven: true, tests })
})

describe('npm run requirements', () => {
  /** A folder with the ledger, the program and a report of these tests; none where there was no run. */
  async function openRepository(tests?: { title: string; status: string }[]) {
    const folder = await mkdtemp(join(tmpdir(), 'requirements-'))
    await cp(join(root, 'test/requirements.ts'), join(folder, 'test/requirements.ts'))
    await cp(join(root, 'docs/reference/requirements.md'), join(folder, 'docs/reference/requirements.md'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await mkdir(join(folder, '.reports'))
    if (tests) {
      const assertionResults = tests.map((test) => ({ ancestorTitles: [], ...test }))
      await writeFile(join(folder, '.reports/vitest.json'), JSON.stringify({ testResults: [{ assertionResults }] }))
    }
    const run = (...words: string[]) =>
      new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
        const child = execFile(
          process.execPath,
          [join(folder, 'test/requirements.ts'), ...words],
          (_error, out, err) => {
            resolve({ code: child.exitCode, out, err })
          },
        )
      })
    return { run, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
  }

  test('says to run npm test -- --full first where there is no report', async () => {
    await using repository = await openRepository()
    const { code, out, err } = await repository.run('--json')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('run npm test -- --full first')
  })

  test('prints nothing but one JSON document on stdout when asked for JSON', async () => {
    await using repository = await openRepository([{ title: 'U-13: one table', status: 'passed' }])
    const { code, out } = await repository.run('--json')
    const answer = JSON.parse(out) as { total: number; proven: number; rows: { id: string }[] }
    expect(code).toBe(0)
    expect(answer).toMatchObject({ total: rows.length, proven: 1 })
    expect(answer.rows).toHaveLength(rows.length)
    expect(answer.rows.find(({ id }) => id === 'U-13')).toEqual({
      id: 'U-13',
      proven: true,
      tests: ['U-13: one table'],
    })
  })

  test('fails on an id that the ledger does not have, and names the test', async () => {
    await using repository = await openRepository([{ title: 'S3-RATE-99: nothing', status: 'passed' }])
    const { code, err } = await repository.run()
    expect(code).toBe(1)
    expect(err).toContain('no row S3-RATE-99, which a test claims: S3-RATE-99: nothing')
  })
})
