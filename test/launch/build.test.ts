/** Tests the errors that the build of the published package detects before a user meets them after an installation. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { bundle } from '../../tools/build/bundle.ts'
import { readNotices } from '../../tools/build/notices.ts'
import { placeFiles } from '../../tools/build/place-files.ts'

async function openSources(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-build-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const [source, out] = [join(folder, 'src'), join(folder, 'out')]
  const programs = ['main.ts', 'deep/inner/worker.ts']
  const bundle = async () => {
    await build({
      entryPoints: programs.map((program) => join(source, program)),
      outdir: out,
      entryNames: '[name]',
      bundle: true,
      platform: 'node',
      format: 'esm',
      outExtension: { '.js': '.mjs' },
      logLevel: 'silent',
      plugins: [placeFiles({ source, programs, folder: out })],
    })
    return readFile(join(out, 'main.mjs'), 'utf8')
  }
  return { folder, out, bundle, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

const sourcesWith = (line: string) =>
  openSources({
    'src/main.ts': `import './deep/outer.ts'`,
    'src/deep/outer.ts': line,
    'src/deep/inner/worker.ts': 'console.log(1)',
    'src/deep/texts/one.sql': 'select 1',
    'src/other.ts': '',
  })

describe('a file that a source names beside itself', () => {
  test('is the bundled program, where it is one', async () => {
    await using sources = await sourcesWith(`console.log(new URL('inner/worker.ts', import.meta.url))`)
    expect(await sources.bundle()).toContain(`new URL("./worker.mjs", import.meta.url)`)
  })

  test('is a copy, where it is a folder', async () => {
    await using sources = await sourcesWith(`console.log(new URL('texts/', import.meta.url))`)
    expect(await sources.bundle()).toContain(`new URL("./texts/", import.meta.url)`)
    expect(await readFile(join(sources.out, 'texts/one.sql'), 'utf8')).toBe('select 1')
  })

  test.each([
    ['that the bundle would not have', `console.log(new URL('../other.ts', import.meta.url))`, /no program or folder/],
    ['that is nowhere', `console.log(new URL('missing/', import.meta.url))`, /no program or folder/],
    ['by its folder', `console.log(import.meta.dirname + '/texts')`, /Say "import\.meta\.dirname" as/],
    ['by a name made at run time', 'const n = 1; console.log(new URL(`texts/${n}`, import.meta.url))', /Say "new URL/],
  ])('ends the build when it is one %s', async (_, line, sentence) => {
    await using sources = await sourcesWith(line)
    await expect(sources.bundle()).rejects.toThrow(sentence)
  })
})

describe('a library in CommonJS', () => {
  const bundled = async (line: string) => {
    await using sources = await openSources({
      'node_modules/theirs/package.json': JSON.stringify({ name: 'theirs', main: 'index.cjs' }),
      'node_modules/theirs/index.cjs': 'exports.read = () => 7',
      'src/main.ts': line,
      'src/part.ts': `export { read } from 'theirs'`,
    })
    const { folder: root, out: folder } = sources
    await bundle({ root, source: join(root, 'src'), programs: ['main.ts'], target: 'node24', folder })
    return ((await import(join(folder, 'main.mjs'))) as { value: unknown }).value
  }

  test('ends the build where a source loads it by import(): it would have no names', async () => {
    await expect(bundled(`export const value = (await import('theirs')).read()`)).rejects.toThrow(
      'src/main.ts loads node_modules/theirs/index.cjs',
    )
  })

  test('has its names where a source that is loaded in its place imports them', async () => {
    expect(await bundled(`export const value = (await import('./part.ts')).read()`)).toBe(7)
  })
})

describe('code of others in the bundle', () => {
  const files = (license: string, text: Record<string, string>) =>
    openSources({
      'node_modules/theirs/package.json': JSON.stringify({ name: 'theirs', version: '1.2.3', license }),
      'node_modules/theirs/lib/index.js': '',
      ...text,
    })
  const bundled = ['src/main.ts', 'node_modules/theirs/lib/index.js']

  test('is named with its licence whole', async () => {
    await using sources = await files('MIT', { 'node_modules/theirs/LICENSE.md': 'Copyright somebody' })
    const notices = await readNotices(sources.folder, bundled)
    expect(notices).toContain('code of the 1 packages')
    expect(notices).toContain('theirs 1.2.3 (MIT)\n\nCopyright somebody\n')
  })

  test('ends the build when its licence is one that nobody has looked at', async () => {
    await using sources = await files('GPL-3.0', { 'node_modules/theirs/LICENSE': 'Copyright somebody' })
    await expect(readNotices(sources.folder, bundled)).rejects.toThrow('theirs 1.2.3 has the licence "GPL-3.0"')
  })

  test('ends the build when the text of its licence is not there', async () => {
    await using sources = await files('MIT', { 'node_modules/theirs/README.md': '# Theirs\n\nDoes a thing.' })
    await expect(readNotices(sources.folder, bundled)).rejects.toThrow('no text of its licence')
  })
})
