/**
 * `npm run evidence` writes one folder that a security review can read, for this commit: the tests and which requirements they prove,
 * the official conformance suites, the isolation suite, kills and other faults, fuzzing (at least a million cases), the benchmark,
 * bills of materials with licences, and the advisories of others with the tests that hold their lessons.
 *
 *   npm test -- --full && npm run conformance && npm run bench
 *   npm run evidence -- [FOLDER]      .reports/evidence unless a folder is named
 *
 * What these commands left in .reports is taken as it is; bills of materials and fuzzing are made here. It exits with 1 where a part is
 * missing or has a failure, and says which one in README.md of the folder.
 */
import { spawnSync } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const reports = join(root, '.reports')
const folder = resolve(root, process.argv[2] ?? '.reports/evidence')
/** 130,000 cases of the wire's own properties, so many times. */
const FUZZ_FACTOR = 8
const LEAST_CASES = 1_000_000

interface Part {
  readonly name: string
  /** Words for the table, or the reason why it is not there. */
  readonly found: string
  readonly good: boolean
  readonly files: readonly string[]
}
interface TestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

const run = (program: string, words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  spawnSync(program, words, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, ...environment },
  })
const readJson = async <T>(file: string): Promise<T | undefined> => {
  const text = await readFile(join(reports, file), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as T)
}
const put = (file: string, text: string) => writeFile(join(folder, file), text)
const missing = (name: string, command: string): Part => ({
  name,
  found: `missing: run \`${command}\` first`,
  good: false,
  files: [],
})

async function tests(): Promise<Part[]> {
  const report = await readJson<TestReport>('vitest.json')
  if (report === undefined) return [missing('Tests', 'npm test -- --full')]
  const all = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({ file: name.replace(`${root}/`, ''), test: fullName, status })),
  )
  const count = (of: typeof all, status: string) => of.filter((one) => one.status === status).length
  const faults = all.filter(({ file }) => /(?:^|\/)test\/(?:fault|replicas)\//.test(file))
  const written = async (name: string, file: string, of: typeof all): Promise<Part> => {
    await put(file, `${JSON.stringify(of, undefined, 1)}\n`)
    const [passed, failed] = [count(of, 'passed'), count(of, 'failed')]
    return { name, found: `${passed} passed, ${failed} failed`, good: failed === 0 && passed > 0, files: [file] }
  }
  return [
    await written('Tests', 'tests.json', all),
    await written('Kills, faults and replicas', 'faults.json', faults),
    requirements(),
  ]
}

function requirements(): Part {
  const { stdout, status } = run('npm', ['run', '--silent', 'requirements'])
  void put('requirements.txt', stdout)
  const line = stdout.trim().split('\n').at(-1) ?? ''
  return { name: 'Requirements', found: line, good: status === 0, files: ['requirements.txt'] }
}

async function isolation(): Promise<Part> {
  const found = await readJson<{ checks: number; leaks: number }>('isolation.json')
  if (found === undefined) return missing('Isolation of organizations', 'npm test -- --full')
  await put('isolation.json', `${JSON.stringify(found)}\n`)
  return {
    name: 'Isolation of organizations',
    found: `${found.checks} comparisons, ${found.leaks} leaks`,
    good: found.leaks === 0 && found.checks > 0,
    files: ['isolation.json'],
  }
}

/** A report that another command wrote, as it is. */
async function taken(name: string, file: string, command: string): Promise<Part> {
  const found = await readJson<object>(file)
  if (found === undefined) return missing(name, command)
  await cp(join(reports, file), join(folder, file))
  return { name, found: `written by \`${command}\``, good: true, files: [file] }
}

async function fuzz(): Promise<Part> {
  const { stdout, status } = run('npm', ['test', '--', 'packages/protocol/src/wire.fuzz.test.ts'], {
    TEST_FUZZ_FACTOR: String(FUZZ_FACTOR),
  })
  await put('fuzz.txt', stdout)
  const cases = Number(/fuzz cases (\d+)/.exec(stdout)?.[1] ?? 0)
  const seed = /fuzz seed (\d+)/.exec(stdout)?.[1] ?? 'unknown'
  const good = status === 0 && cases >= LEAST_CASES
  return { name: 'Fuzzing of the wire', found: `${cases} cases, seed ${seed}`, good, files: ['fuzz.txt'] }
}

interface Bill {
  readonly components: readonly {
    readonly name: string
    readonly version: string
    readonly licenses?: readonly { readonly expression?: string; readonly license?: { readonly id?: string } }[]
  }[]
}

async function bills(): Promise<Part[]> {
  const { status } = run('npm', ['run', '--silent', 'sbom', '--', join(folder, 'sbom')])
  const files = ['toolway', 'toolway-bridge', 'toolway-toolkit', 'uru-mcp'].map((name) => `sbom/${name}.cdx.json`)
  const licences = new Map<string, Set<string>>()
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '{"components":[]}')
    for (const { name, version, licenses = [] } of (JSON.parse(text) as Bill).components) {
      const [{ expression, license } = {}] = licenses
      const licence = expression ?? license?.id ?? 'not said'
      licences.set(licence, (licences.get(licence) ?? new Set()).add(`${name}@${version}`))
    }
  }
  const rows = [...licences].toSorted(([one], [other]) => one.localeCompare(other))
  const table = rows.map(([licence, names]) => `| ${licence} | ${names.size} | ${[...names].toSorted().join(', ')} |`)
  await put('licences.md', ['| licence | packages | which |', '|---|--:|---|', ...table, ''].join('\n'))
  const packages = rows.reduce((sum, [, names]) => sum + names.size, 0)
  return [
    { name: 'Bills of materials', found: `${files.length} packages of ours`, good: status === 0, files },
    {
      name: 'Licences',
      found: `${packages} packages under ${rows.length} licences`,
      good: packages > 0,
      files: ['licences.md'],
    },
  ]
}

async function advisories(): Promise<Part> {
  const text = await readFile(join(root, 'docs/security/advisories.md'), 'utf8')
  await put('advisories.md', text)
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| advisory')).length
  return { name: 'Advisories', found: `${rows} lessons`, good: rows > 0, files: ['advisories.md'] }
}

async function write(): Promise<number> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'sbom'), { recursive: true })
  const parts = [
    ...(await tests()),
    await isolation(),
    await taken('Conformance', 'conformance.json', 'npm run conformance'),
    await taken('Benchmark', 'bench.json', 'npm run bench'),
    await fuzz(),
    ...(await bills()),
    await advisories(),
  ]
  // A checkout that belongs to another user, as in a container of CI, is read too.
  const git = (...words: string[]) => run('git', ['-c', `safe.directory=${root}`, ...words])
  const commit = git('rev-parse', 'HEAD').stdout.trim()
  if (commit === '') throw new Error('git does not say which commit this is: the evidence would belong to none.')
  const changed = git('status', '--porcelain').stdout.trim() !== ''
  const rows = parts.map(
    ({ name, found, good, files }) =>
      `| ${name} | ${good ? 'good' : '**not good**'} | ${found} | ${files.join(', ')} |`,
  )
  await put(
    'README.md',
    [
      '# Evidence',
      '',
      `Commit ${commit}${changed ? ' with changes that are not committed' : ''}, ${new Date().toISOString()}, Node ${process.version}, ${process.platform} ${process.arch}.`,
      '',
      '| part | state | found | files |',
      '|---|---|---|---|',
      ...rows,
      '',
    ].join('\n'),
  )
  for (const { name, good, found } of parts) console.log(`${good ? 'good    ' : 'not good'}  ${name}: ${found}`)
  console.log(`The evidence is in ${folder}.`)
  return parts.every(({ good }) => good) ? 0 : 1
}

process.exitCode = await write()
