/** The folders that a session works in: of the operator, of the client, and of both. */
// @module-tag long
import { mkdir, readdir, readFile, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { pathOfFileUri } from './files/file-uri.ts'
import { ERAS, faultOf, makeFolder, startToolkit, textOf, type ToolkitClient } from './testing/toolkit-client.ts'

const write = (toolkit: ToolkitClient, path: string) => toolkit.call('write_local_file', { path, content: 'x' })
const writtenTo = async (toolkit: ToolkitClient, path: string) =>
  (await write(toolkit, path)).structuredContent?.['path']

for (const era of ERAS)
  describe(`in the ${era} era`, era === 'modern' ? {} : { tags: 'long' }, () => {
    test('a client that names its folders works in them, the first one for relative paths', async () => {
      await using base = await makeFolder()
      const [one, two] = [join(base.path, 'one'), join(base.path, 'two ü#')]
      await Promise.all([mkdir(one), mkdir(two)])
      await using toolkit = await startToolkit({ era, roots: () => [one, two].map((path) => pathToFileURL(path).href) })
      expect(await writtenTo(toolkit, 'a.txt')).toBe(join(one, 'a.txt'))
      expect(await writtenTo(toolkit, join(two, 'b.txt'))).toBe(join(two, 'b.txt'))
      expect(textOf(await write(toolkit, join(base.path, 'c.txt')))).toContain('is not in a root')
    })

    test('the folders of the operator are the outer limit of what a client names', async () => {
      await using base = await makeFolder()
      await mkdir(join(base.path, 'ws/project'), { recursive: true })
      await mkdir(join(base.path, 'ws_evil'))
      await symlink(join(base.path, 'ws_evil'), join(base.path, 'ws/away'))
      const args = ['--root', join(base.path, 'ws')]
      const started = (roots: readonly string[]) =>
        startToolkit({ era, args, roots: () => roots.map((path) => pathToFileURL(join(base.path, path)).href) })
      {
        await using inner = await started(['ws/project', 'ws_evil', 'ws/away', 'none'])
        expect(await writtenTo(inner, 'a.txt')).toBe(join(base.path, 'ws/project/a.txt'))
        for (const path of ['ws/b.txt', 'ws_evil/b.txt']) {
          const refused = await write(inner, join(base.path, path))
          expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('is not in a root')])
        }
      }
      {
        await using outer = await started(['.'])
        expect(await writtenTo(outer, 'b.txt')).toBe(join(base.path, 'ws/b.txt'))
        expect((await write(outer, join(base.path, 'ws_evil/x.txt'))).isError).toBe(true)
      }
      await using elsewhere = await started(['ws_evil'])
      expect(await writtenTo(elsewhere, 'c.txt')).toBe(join(base.path, 'ws/c.txt'))
      expect(await readdir(join(base.path, 'ws_evil'))).toEqual([])
    })

    test('without any folder, each call says what to do', async () => {
      await using toolkit = await startToolkit({ era, environment: {} })
      const refused = await write(toolkit, 'a.txt')
      expect([refused.isError, textOf(refused)]).toEqual([
        true,
        expect.stringMatching(/^Error writing file: .*--root FOLDER/),
      ])
      expect(faultOf(refused)).toMatchObject({ code: 'INVALID_ARGUMENT', retryable: false })
      await using empty = await startToolkit({ era, environment: {}, roots: () => [] })
      expect(textOf(await write(empty, 'a.txt'))).toContain('--root FOLDER')
      await using wrong = await startToolkit({
        era,
        environment: {},
        roots: () => ['file:///C:/Users/me', 'file://server/share'],
      })
      expect(textOf(await write(wrong, 'a.txt'))).toMatch(/Windows.*--root FOLDER/)
    })

    test('other folders hold from the next call on', async () => {
      await using base = await makeFolder()
      await Promise.all(['one', 'two'].map((name) => mkdir(join(base.path, name))))
      let named = 'one'
      await using toolkit = await startToolkit({ era, roots: () => [pathToFileURL(join(base.path, named)).href] })
      expect(await writtenTo(toolkit, 'a.txt')).toBe(join(base.path, 'one/a.txt'))
      named = 'two'
      if (era === 'legacy') await toolkit.client.sendRootsListChanged()
      expect(await writtenTo(toolkit, 'a.txt')).toBe(join(base.path, 'two/a.txt'))
      expect((await write(toolkit, join(base.path, 'one/b.txt'))).isError).toBe(true)
    })
  })

test('a root that is replaced is used no more, and its replacement is not', async () => {
  await using base = await makeFolder()
  const [root, evil] = [join(base.path, 'ws'), join(base.path, 'evil')]
  await Promise.all([mkdir(root), mkdir(evil)])
  await using toolkit = await startToolkit({ args: ['--root', root] })
  expect((await write(toolkit, 'a.txt')).isError).toBeUndefined()
  await rename(root, join(base.path, 'aside'))
  await symlink(evil, root)
  expect(textOf(await write(toolkit, 'b.txt'))).toContain('moved or replaced')
  expect([await readdir(evil), await readdir(join(base.path, 'aside'))]).toEqual([[], ['a.txt']])
  expect(await readFile(join(base.path, 'aside/a.txt'), 'utf8')).toBe('x')
})

test('addresses of folders are taken as RFC 8089 says, and nothing else is', () => {
  expect(pathOfFileUri('file:///home/me/my%20work/%C3%BC/')).toBe('/home/me/my work/ü')
  expect(pathOfFileUri('file://localhost/home/me')).toBe('/home/me')
  expect(pathOfFileUri('file:/home/me')).toBe('/home/me')
  const wrong = [
    ...['http://example.com/x', '/home/me', 'home/me', 'data:,x', 'file', '', 'toolway://files/file_1'],
    ...['file://server/share', 'file:///C:/Users', 'file:///c%3A/Users', 'file:///C|/Users', 'file://C:/Users'],
    ...['file:///home/a%2Fb', 'file:///home/a%5Cb', 'file:///home/%00', 'file:///home/%zz', 'file:///home/%ff'],
    ...['file:///home/me?x=1', 'file:///home/me#x', 'file:///home/con', 'file:///home/a%0Ab'],
  ]
  for (const uri of wrong) expect(() => pathOfFileUri(uri), uri).toThrow()
})
