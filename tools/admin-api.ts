/**
 * `npm run admin-api` writes the OpenAPI document of the admin interface to docs/reference/admin-api.json. The file is not
 * checked in: docs/reference/admin-api.sha256 pins it with a digest for each operation and shape.
 * `npm run admin-api -- --against REF` also prints what differs from the document of another revision.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type * as OperationsModule from '../packages/gateway/src/app/operations.ts'
import type * as OpenApiModule from '../packages/gateway/src/features/reference/open-api.ts'

const root = resolve(import.meta.dirname, '..')
const file = join(root, 'docs/reference/admin-api.json')

/** The document as the code of that checkout describes it. */
async function documentOf(checkout: string): Promise<string> {
  const fileOf = (...places: readonly string[]) =>
    places.map((place) => join(checkout, 'packages/gateway/src', place)).find(existsSync) ?? ''
  // Where it lies, and where it lay in older revisions.
  const operations = fileOf('app/operations.ts', 'compose/operations.ts', 'admin/operations.ts')
  const openApi = fileOf('features/reference/open-api.ts', 'admin/reference/open-api.ts', 'admin/open-api.ts')
  const { BESIDE, OPERATIONS } = (await import(operations)) as typeof OperationsModule
  const { openApiOf } = (await import(openApi)) as typeof OpenApiModule
  return `${JSON.stringify(openApiOf([...OPERATIONS.map(({ operation }) => operation), ...BESIDE]), null, 2)}\n`
}

/** The packages of a revision in `folder`, with this checkout's dependencies. */
function checkOut(revision: string, folder: string): void {
  const packed = execFileSync('git', ['archive', revision, 'packages'], { cwd: root, maxBuffer: 1 << 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: packed })
  mkdirSync(join(folder, 'node_modules/@toolway'), { recursive: true })
  const link = (from: string, to: string) => symlinkSync(from, join(folder, to))
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@toolway') link(join(root, 'node_modules', name), join('node_modules', name))
  for (const name of readdirSync(join(folder, 'packages'))) {
    link(join(folder, 'packages', name), join('node_modules/@toolway', name))
    const own = join(root, 'packages', name, 'node_modules')
    if (existsSync(own)) link(own, join('packages', name, 'node_modules'))
  }
}

async function compareWith(revision: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'admin-api-'))
  try {
    checkOut(revision, folder)
    const before = join(folder, 'before.json')
    writeFileSync(before, await documentOf(folder))
    const { status } = spawnSync('git', ['--no-pager', 'diff', '--no-index', before, file], { stdio: 'inherit' })
    if (status === 0) console.log(`The document is the same as at ${revision}.`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const { against } = parseArgs({ options: { against: { type: 'string' } } }).values
writeFileSync(file, await documentOf(root))
console.log(`Wrote ${file}.`)
if (against !== undefined) await compareWith(against)
