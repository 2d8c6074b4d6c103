/** `npm run new:connector` writes a connector that is found, listed and called at once, in a copy of the package. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { definitionOf, type Connector } from '../../packages/connectors/src/index.ts'
import type { VendorRows } from '../../packages/connectors/src/kit/rows.ts'
import { writeConnector } from '../../tools/new-connector.ts'
import { answer, drive, sentOf } from './drive.ts'

const root = resolve(import.meta.dirname, '../..')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolway-connector-'))
  cpSync(join(root, 'packages/connectors/src'), join(folder, 'src'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const load = (file: string): Promise<unknown> =>
  import(/* @vite-ignore */ pathToFileURL(join(folder, 'src', file)).href)

test('S3-CON-09: a new folder and its row add a connector that is found by its name', async () => {
  writeConnector(folder, { id: 'acme', title: 'Acme', address: 'https://api.acme.example/v1' })
  const { CONNECTORS } = (await load('connectors.ts')) as { CONNECTORS: Record<string, Connector> }
  const { ROWS } = (await load('rows.ts')) as { ROWS: Record<string, VendorRows> }
  expect(Object.keys(CONNECTORS).at(-1)).toBe('acme')
  expect(CONNECTORS['acme']).toMatchObject({ title: 'Acme', address: 'https://api.acme.example' })
  const acme = await CONNECTORS['acme']?.load()
  expect([...(acme?.tools.keys() ?? [])]).toEqual(['acme_get_account', 'acme_list_items'])
  for (const [name, tool] of acme?.tools ?? []) {
    expect(definitionOf(name, tool)).toMatchObject({ name, annotations: { readOnlyHint: true } })
    const rows = ROWS['acme']?.tools[name.slice('acme_'.length)] ?? []
    expect(rows).not.toEqual([])
    for (const [input, ...sent] of rows) expect(drive(tool, input, () => answer({})).requests.map(sentOf)).toEqual(sent)
  }
})

test.each([
  [{ id: 'Acme', title: 'Acme', address: 'https://api.acme.example' }, /small letters/],
  [{ id: 'other', title: 'Other', address: 'http://api.acme.example' }, /https/],
  [{ id: 'github', title: 'GitHub', address: 'https://api.github.com' }, /already/],
])('%o is refused', (said, problem) => expect(() => writeConnector(folder, said)).toThrow(problem))
