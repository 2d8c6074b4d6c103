import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

/** Says which file ran, with what, and in which Node; ends with a code of its own. */
const program = (name: string) => `
  console.log(['${name}', process.versions.node, ...process.argv.slice(2)].join(' '))
  process.exitCode = 5
`
/** Makes a Node believe that it is an old one. */
const aged = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`

async function install(...files: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-'))
  const home = join(folder, 'packages/gateway')
  await cp(join(import.meta.dirname, '../../packages/gateway/bin'), join(home, 'bin'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  for (const file of files) {
    await mkdir(dirname(join(home, file)), { recursive: true })
    await writeFile(join(home, file), program(file))
  }
  const run = (node: readonly string[], ...words: string[]) =>
    new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
      const all = [...node, join(home, 'bin/toolway.mjs'), ...words]
      const child = execFile(process.execPath, all, (_error, out, err) => resolve({ code: child.exitCode, out, err }))
    })
  const pin = async (version: string) => {
    const at = join(folder, `node_modules/node-${process.platform}-${process.arch}`)
    await mkdir(join(at, 'bin'), { recursive: true })
    await writeFile(join(at, 'package.json'), JSON.stringify({ version }))
    await writeFile(join(at, 'bin/node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
    await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
    await symlink(join(at, 'bin/node'), join(folder, 'node_modules/.bin/node'))
  }
  return { run, pin, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

describe('toolway', () => {
  const version = process.versions.node

  test('runs the sources in the Node that runs it, with every word of the command line', async () => {
    await using here = await install('src/main.ts', 'dist/main.mjs')
    expect(await here.run([], 'org', 'add', '--name', 'a b')).toEqual({
      code: 5,
      out: `src/main.ts ${version} org add --name a b\n`,
      err: '',
    })
  })

  test('runs the bundle where it was published without sources', async () => {
    await using here = await install('dist/main.mjs')
    expect(await here.run([], 'doctor')).toMatchObject({ code: 5, out: `dist/main.mjs ${version} doctor\n` })
  })

  test('hands over to the pinned Node when it is run by an old one, and keeps the exit code', async () => {
    await using here = await install('src/main.ts')
    await here.pin('24.21.0')
    const answer = await here.run(['--import', aged], 'doctor', '--json')
    expect(answer).toEqual({ code: 5, out: `src/main.ts ${version} doctor --json\n`, err: '' })
  })

  test('says which Node to install when there is none that would do', async () => {
    await using here = await install('src/main.ts')
    await here.pin('24.14.1')
    const { code, out, err } = await here.run(['--import', aged])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('Toolway needs Node 24.15 or newer')
  })
})
