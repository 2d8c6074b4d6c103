/** Sessions beside one another: each has its own folder, and none writes into another's. */
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { runs } from '../../../test/setup/form.ts'
import { createToolkitServer } from './server.ts'
import { createTools } from './tools/all.ts'
import { faultOf, makeFolder, startToolkit, type Answer } from './testing/toolkit-client.ts'

/** The ledger's number in the long form, a tenth of it in the short one. */
const WRITES = runs(1_000)

/** Writes from all sessions at once, to the same relative paths, and looks at every answer and every file. */
async function writeFromAll(
  sessions: readonly { folder: string; call: (name: string, given: object) => Promise<Answer> }[],
) {
  const each = WRITES / sessions.length
  await Promise.all(
    sessions.map(async ({ folder, call }) => {
      for (let begin = 0; begin < each; begin += 10)
        await Promise.all(
          Array.from({ length: 10 }, async (_, index) => {
            const path = `notes/${begin + index}.txt`
            const { structuredContent } = await call('write_local_file', { path, content: folder })
            expect(structuredContent?.['path']).toBe(join(folder, path))
          }),
        )
    }),
  )
  for (const { folder } of sessions) {
    const files = await readdir(join(folder, 'notes'))
    expect(files).toHaveLength(each)
    for (const file of files) expect(await readFile(join(folder, 'notes', file), 'utf8')).toBe(folder)
  }
}

async function makeFolders(base: string, names: readonly string[]) {
  const folders = names.map((name) => join(base, name))
  await Promise.all(folders.map((folder) => mkdir(folder)))
  return folders
}

test('S4-FS-03: two sessions at once write a thousand files by relative paths, none crossed, and every answer has the absolute path', async () => {
  await using base = await makeFolder()
  const [one = '', two = ''] = await makeFolders(base.path, ['one', 'two'])
  await using first = await startToolkit({ args: ['--root', one] })
  await using second = await startToolkit({ args: ['--root', two], era: 'modern' })
  await writeFromAll([
    { folder: one, call: first.call },
    { folder: two, call: second.call },
  ])
})

test('two sessions of one process share no folder and no budget', async () => {
  await using base = await makeFolder()
  const folders = await makeFolders(base.path, ['one', 'two'])
  const tools = createTools({ environment: {} })
  const budgets = { byTool: new Map([['list_directory', 1]]) }
  const sessions = await Promise.all(
    folders.map(async (folder) => {
      const server = createToolkitServer({
        tools,
        workspace: undefined,
        budgets,
        era: 'legacy',
        tell() {},
        hide: (value) => value,
      })
      const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } })
      client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(folder).href }] }))
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      await Promise.all([server.connect(theirs), client.connect(ours)])
      const call = (name: string, given: object) =>
        client.callTool({ name, arguments: { ...given } }) as unknown as Promise<Answer>
      return { folder, client, call }
    }),
  )
  await writeFromAll(sessions)
  for (const { call, client } of sessions) {
    expect((await call('list_directory', {})).isError).toBeUndefined()
    expect(faultOf(await call('list_directory', {}))).toMatchObject({ blocked_by: 'max_calls' })
    await client.close()
  }
})
