/** Local and remote paths are different kinds, for the compiler and at run time. */
import { expect, expectTypeOf, test } from 'vitest'
import { Session } from '../session.ts'
import { createTools } from '../tools/all.ts'
import type { walkFiles } from '../archive/file-walk.ts'
import type { Ended, Transfer } from '../workbench/bridge.ts'
import type { DownloadParts } from '../workbench/download.ts'
import type { FilePlane } from '../workbench/file-plane.ts'
import { makeFolder } from '../testing/toolkit-client.ts'
import { remotePath, type LocalPath, type RemotePath } from './paths.ts'
import { Workspace } from './workspace.ts'

test('S4-FS-01: local and remote paths are kinds that the compiler keeps apart, and the wrong kind is an INVALID_ARGUMENT', async () => {
  // Text becomes one of the two kinds in one place each, and no path of one kind passes for the other.
  expectTypeOf<string>().toExtend<Parameters<Workspace['write']>[0]>()
  expectTypeOf<LocalPath>().toExtend<Parameters<Workspace['write']>[0]>()
  for (const _ of ['createFile', 'write', 'append', 'open', 'read', 'list', 'look', 'resolve', 'openFolder'] as const)
    expectTypeOf<RemotePath>().not.toExtend<Parameters<Workspace[typeof _]>[0]>()
  expectTypeOf<string>().toExtend<Parameters<typeof remotePath>[0]>()
  expectTypeOf<LocalPath>().not.toExtend<Parameters<typeof remotePath>[0]>()
  expectTypeOf<LocalPath>().not.toExtend<RemotePath>()
  expectTypeOf<RemotePath>().not.toExtend<LocalPath>()
  expectTypeOf<string>().not.toExtend<LocalPath>()
  expectTypeOf<string>().not.toExtend<RemotePath>()

  // Transfers between the two take one of each, and not the other way round.
  expectTypeOf<LocalPath>().toExtend<Transfer['localPath']>()
  expectTypeOf<RemotePath>().not.toExtend<Transfer['localPath']>()
  expectTypeOf<RemotePath>().toExtend<Transfer['remotePath']>()
  expectTypeOf<LocalPath>().not.toExtend<Transfer['remotePath']>()
  expectTypeOf<Ended>().toExtend<{ localPath: LocalPath; remotePath: RemotePath }>()
  expectTypeOf<RemotePath>().not.toExtend<DownloadParts['local']>()
  expectTypeOf<LocalPath>().not.toExtend<DownloadParts['remote']>()
  expectTypeOf<RemotePath>().not.toExtend<Parameters<FilePlane['download']>[1]['local']>()
  expectTypeOf<RemotePath>().not.toExtend<Parameters<typeof walkFiles>[1][number]>()

  await using base = await makeFolder()
  await using workspace = await Workspace.open([base.path])
  expectTypeOf((await workspace.write('a.txt', 'x')).path).toEqualTypeOf<LocalPath>()
  const tools = createTools({ environment: {} })
  const session = new Session({ tools, budgets: { byTool: new Map() } })
  const signal = new AbortController().signal
  const call = (name: string, given: object) =>
    session.call(tools.find((one) => one.name === name) ?? expect.fail(name), given, {
      workspace,
      signal,
      progress() {},
    })
  // A remote path where a local one is needed, in every tool of files.
  const remote = '/home/user/report.md'
  for (const [name, given] of [
    ['write_local_file', { path: remote, content: 'x' }],
    ['append_to_file', { path: remote, content: 'x' }],
    ['list_directory', { path: remote }],
    ['read_research_files', { paths: [remote] }],
    ['save_corpus', { articles: [], workspace_path: remote }],
    ['compress_files', { paths: [remote], archive_path: 'x.zip' }],
    ['extract_files', { archive_path: remote, folder: 'x' }],
  ] as const) {
    const { fault } = await call(name, given)
    expect(fault, name).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('remote workbench') as string,
    })
  }
  // A local path where a remote one is needed.
  for (const wrong of [
    'report.md',
    '/tmp/report.md',
    `${base.path}/a.txt`,
    '/home/user',
    '/home/user2/x',
    '/home/user/../x',
  ])
    expect(() => remotePath(wrong), wrong).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  expect(remotePath('/home/user/out/report.csv')).toBe('/home/user/out/report.csv')
})
