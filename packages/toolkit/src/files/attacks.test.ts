/** Every tool that takes a local path, and archives too, against paths and file systems made to lead elsewhere. */
import { execFileSync } from 'node:child_process'
import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { Session } from '../session.ts'
import { createTools } from '../tools/all.ts'
import type { Outcome, Tool } from '../tools/tool.ts'
import { ATTACKS } from '../testing/attacks.ts'
import { makeFolder } from '../testing/toolkit-client.ts'
import { Workspace } from './workspace.ts'

const TOOLS = createTools({ environment: {} })
/** Arguments that name something on this machine, by the tools' own schemas. */
const isLocalPath = (name: string) => /path|folder|dir|base/.test(name) && !name.startsWith('remote')

interface Way {
  readonly tool: Tool
  readonly name: string
  /** The tool's own example with that path. */
  readonly given: (path: string) => object
}

const WAYS: readonly Way[] = TOOLS.flatMap((tool) =>
  Object.keys(tool.input.shape)
    .filter(isLocalPath)
    .map((name) => {
      const example = tool.examples.find((one) => name in one) ?? tool.examples[0] ?? {}
      const many = Array.isArray(example[name])
      return { tool, name, given: (path: string) => ({ ...example, [name]: many ? [path] : path }) }
    }),
)

async function makeGround() {
  const base = await makeFolder()
  const [root, outside] = [join(base.path, 'ws'), join(base.path, 'ws_evil')]
  await Promise.all([mkdir(root), mkdir(outside)])
  await writeFile(join(outside, 'secret.txt'), 'secret')
  // The files that the examples of the tools name.
  await mkdir(join(root, 'work_products'))
  await writeFile(join(root, 'work_products/report.md'), 'report')
  await mkdir(join(root, 'search_results'))
  await mkdir(join(root, 'downloads'))
  await writeFile(join(root, 'downloads/data.zip'), zipSync({ 'x.txt': Buffer.from('x') }))
  const workspace = await Workspace.open([root])
  const session = new Session({ tools: TOOLS, budgets: { byTool: new Map() } })
  const signal = new AbortController().signal
  return {
    ...{ base: base.path, root, outside, workspace },
    call: (tool: Tool, given: object): Promise<Outcome> =>
      session.call(tool, given, { workspace, signal, progress() {} }),
    all: () => execFileSync('find', [base.path, '-printf', '%p %y %s\n']).toString().split('\n').sort(),
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]()
      await base[Symbol.asyncDispose]()
    },
  }
}

test('the tools of files take paths, in these arguments', () => {
  const ways = WAYS.map(({ tool, name }) => `${tool.name} ${name}`)
  expect(ways).toEqual(
    expect.arrayContaining([
      ...['save_corpus workspace_path', 'write_local_file path', 'append_to_file path', 'list_directory path'],
      ...['read_research_files paths', 'compress_files paths', 'compress_files archive_path', 'compress_files base'],
      ...['extract_files archive_path', 'extract_files folder'],
    ]),
  )
})

describe('S4-FS-02: every tool is confined to the roots', () => {
  test(
    `${ATTACKS.length} paths are refused in ${WAYS.length} arguments, and nothing is written`,
    { tags: 'long' },
    async () => {
      expect(new Set(ATTACKS).size).toBeGreaterThanOrEqual(90)
      await using ground = await makeGround()
      const before = ground.all()
      for (const { tool, name, given } of WAYS)
        for (const attack of ATTACKS) {
          const path = attack.replace('ROOT', ground.root).replace('BASE', ground.base)
          const { fault, text } = await ground.call(tool, given(path))
          expect(fault, `${tool.name} ${name} ${JSON.stringify(path.slice(0, 80))}: ${text}`).toBeDefined()
          expect(text).not.toContain('secret"')
        }
      expect(ground.all()).toEqual(before)
      expect(await readFile(join(ground.outside, 'secret.txt'), 'utf8')).toBe('secret')
    },
  )

  test('symbolic links, pipes, sockets, devices and files with several names lead nowhere, in no tool', async () => {
    await using ground = await makeGround()
    const { root, outside } = ground
    await symlink(outside, join(root, 'away'))
    await symlink(join(outside, 'secret.txt'), join(root, 'file.txt'))
    await symlink(join(root, 'work_products'), join(root, 'near'))
    await symlink('/', join(root, 'top'))
    await symlink('/proc/self', join(root, 'self'))
    await symlink('loop', join(root, 'loop'))
    await mkdir(join(root, 'a/b'), { recursive: true })
    await symlink('../../../ws_evil', join(root, 'a/b/away'))
    await link(join(outside, 'secret.txt'), join(root, 'hard.txt'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    const socket = createServer().listen(join(root, 'socket'))
    await new Promise((resolve) => socket.once('listening', resolve))
    const paths = [
      ...['away', 'away/secret.txt', 'away/new.txt', 'file.txt', 'file.txt/x', 'near/report.md', 'top/etc/passwd'],
      ...[
        'self',
        'self/environ',
        'self/cwd/x',
        'loop',
        'loop/x',
        'a/b/away/secret.txt',
        'a/b/away',
        'pipe',
        'socket',
        'pipe/x',
      ],
    ]
    const before = ground.all()
    for (const { tool, name, given } of WAYS)
      for (const path of paths) {
        const { fault, text } = await ground.call(tool, given(path))
        expect(fault, `${tool.name} ${name} ${path}: ${text}`).toBeDefined()
      }
    expect(ground.all()).toEqual(before)
    socket.close()
    const tool = (name: string) => TOOLS.find((one) => one.name === name) ?? expect.fail(name)
    expect(await ground.call(tool('append_to_file'), { path: 'hard.txt', content: 'x' })).toMatchObject({
      text: expect.stringContaining('several names') as string,
    })
    // A file that is written anew is another file.
    await ground.call(tool('write_local_file'), { path: 'hard.txt', content: 'new' })
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
    // A folder is compressed without the links in it.
    const packed = await ground.call(tool('compress_files'), { paths: ['a', 'work_products'], archive_path: 'out.zip' })
    expect(packed.structured).toMatchObject({ files: 1, skipped: 1 })
  })
})
