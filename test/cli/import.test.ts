/** Taking over what a client already has: the files of Claude Desktop, Cursor and VS Code, said first, done, and taken back. */
// @module-tag long
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeInstallation, type Installation, type Running } from './installation.ts'

const CHILD = join(import.meta.dirname, '../fault/faulty-child.script.ts')
const SECRET = 'ghp_hunter2hunter2hunter2hunter2hunter2'
const patiently = { interval: 100 }

let here: Installation
let running: Running
beforeAll(async () => {
  here = await makeInstallation()
  running = await here.start()
})
afterAll(() => here[Symbol.asyncDispose]())

const DESKTOP = {
  globalShortcut: 'Ctrl+Space',
  mcpServers: {
    'My Server': { command: process.execPath, args: [CHILD, 'well'], env: { GITHUB_TOKEN: SECRET } },
    filesystem: {
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/files'],
      disabled: true,
    },
    remote: {
      command: 'npx',
      args: ['-y', 'mcp-remote', 'https://tools.example.com/mcp', '--header', `Authorization: Bearer ${SECRET}`],
    },
  },
}
const CURSOR = {
  mcpServers: {
    docs: { url: 'https://docs.example.com/mcp', headers: { Authorization: `Bearer ${SECRET}` } },
    build: { command: 'build-server', args: ['--token', '${env:BUILD_TOKEN}'], env: { HOME_DIR: '${userHome}/x' } },
  },
}
const VSCODE = `{
  // Comments and trailing commas are usual here.
  "inputs": [{ "type": "promptString", "id": "api-key", "description": "API key", "password": true }],
  "servers": {
    "weather": { "type": "http", "url": "https://weather.example.com/mcp", "headers": { "X-Api-Key": "\${input:api-key}" } },
    "local": { "type": "stdio", "command": "weather-server", "env": { "KEY": "\${input:api-key}" } },
  },
}
`

async function file(name: string, content: object | string): Promise<string> {
  const path = join(here.folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return path
}
const aliases = async () =>
  ((await here.json(['connection', 'list'])) as { alias: string }[]).map(({ alias }) => alias).sort()
const undo = () => here.run(['import', '--undo'])

describe('an import', () => {
  test('of Claude Desktop says what it will do with secrets masked, does it, and can be taken back', async () => {
    const path = await file('claude_desktop_config.json', DESKTOP)
    const tried = await here.run(['import', path, '--dry-run'])
    expect(tried).toMatchObject({ code: 0, out: 'Nothing was changed (--dry-run).\n' })
    expect(await aliases()).toEqual(['demo'])

    const done = await here.run(['import', path])
    expect(done).toMatchObject({
      code: 0,
      out: expect.stringContaining('`toolway import --undo` removes the added connections'),
    })
    for (const said of [tried, done]) {
      expect(said.err).toMatch(/my[-_]server/)
      expect(said.err).toContain('https://tools.example.com/mcp')
      expect(said.err).toContain('GITHUB_TOKEN')
      expect(said.out + said.err).not.toContain('hunter2')
    }
    const [, server = ''] = await aliases().then((all) => [all[0], all.find((alias) => alias.startsWith('my'))])
    expect(await aliases()).toEqual(['demo', 'filesystem', server, 'remote'].sort())
    await expect.poll(async () => (await here.run(['call', `${server}__good`])).out, patiently).toBe('done\n')
    const listed = await here.run(['connection', 'list'])
    expect(listed.out).toMatch(/^filesystem +disabled /m)
    expect(listed.out).not.toContain('hunter2')

    expect(await undo()).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Undid the import of .*claude_desktop_config\.json: removed /),
    })
    expect(await aliases()).toEqual(['demo'])
    expect(await undo()).toMatchObject({ code: 1, err: 'There is no import to undo.\n' })
  })

  test('of Cursor reads addresses, headers and variables of the person, and says what is missing', async () => {
    const path = await file('mcp.json', CURSOR)
    const partly = (await here.json(['import', path])) as { added: string[]; left: number }
    expect(partly).toMatchObject({ added: ['docs'], left: 1 })
    await undo()
    const whole = await here.run(['import', path], { settings: { BUILD_TOKEN: SECRET } })
    expect(whole).toMatchObject({ code: 0, out: expect.stringContaining('Added 2 of 2') })
    expect(whole.out + whole.err).not.toContain('hunter2')
    expect((await here.run(['connection', 'list'])).out).toMatch(/^build .*build-server --token •••/m)
    await undo()
  })

  test('asks for variables that are not set, and takes their values from --input', async () => {
    const path = await file('variables.json', CURSOR)
    const without = await here.run(['import', path])
    expect(without.err).toContain('Supply --input BUILD_TOKEN=…')
    await undo()
    const given = await here.run(['import', path, '--input', `BUILD_TOKEN=${SECRET}`])
    expect(given).toMatchObject({ code: 0, out: expect.stringContaining('Added 2 of 2') })
    await undo()
  })

  test('of a file that was imported before adds nothing twice, and says what is already there', async () => {
    const path = await file('again.json', DESKTOP)
    await here.run(['import', path])
    const before = await aliases()
    const again = await here.run(['import', path])
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Added 0 of 3, 3 already present') })
    expect(again.err).toContain('remote: already exists as remote, skipped')
    expect(again.out + again.err).not.toContain('hunter2')
    expect(await aliases()).toEqual(before)
    await undo()
  })

  test('of VS Code takes comments, and inputs that are given; without them it says which', async () => {
    const path = await file('vscode.json', VSCODE)
    const without = await here.run(['import', path])
    expect(without).toMatchObject({ code: 1 })
    expect(without.err).toMatch(/api-key/)
    expect(without.err).toContain('--input')
    expect(await aliases()).toEqual(['demo'])
    const given = await here.run(['import', path, '--input', `api-key=${SECRET}`])
    expect(given).toMatchObject({ code: 0, out: expect.stringContaining('Added 2 of 2') })
    expect(given.out + given.err).not.toContain('hunter2')
    expect(await aliases()).toEqual(['demo', 'local', 'weather'])
    expect(await here.run(['import', path, '--input', SECRET])).toMatchObject({
      code: 2,
      err: 'An --input value has no "=": use --input id=value.\n',
    })
    await undo()
  })

  test('offers no tool that the file did not, from the first list on', async () => {
    const child = { command: process.execPath, args: [CHILD, 'well'], env: { A: '1' } }
    const limited = {
      open: child,
      some: { ...child, env: { A: '2' }, includeTools: ['good'] },
      none: { ...child, env: { A: '3' }, tools: ['other'] },
      without: { ...child, env: { A: '4' }, excludeTools: ['good'] },
    }
    const path = await file('limits.json', { mcpServers: limited })
    const done = await here.run(['import', path])
    expect(done.err).toContain('Only these tools are on, as in the file: good.')
    const names = async () =>
      ((await here.json(['tools'])) as { name: string }[])
        .map(({ name }) => name)
        .filter((name) => !name.startsWith('demo'))
    await expect.poll(names, patiently).toContain('some__good')
    await expect.poll(names, patiently).toContain('open__good')
    expect((await here.run(['call', 'without__good'])).code).not.toBe(0)
    const listed = await names()
    expect(listed.filter((name) => name.startsWith('some__'))).toEqual(['some__good'])
    expect(listed.filter((name) => name.startsWith('none__'))).toEqual([])
    expect(listed).not.toContain('without__good')
    await undo()
  })

  test('of Codex reads TOML, and of Goose YAML', async () => {
    const toml = '[mcp_servers.rem]\nurl = "https://c.example.com/mcp"\nbearer_token_env_var = "TOKEN"\n'
    const codex = await here.run(['import', await file('config.toml', toml)], { settings: { TOKEN: SECRET } })
    expect(codex).toMatchObject({ code: 0, err: expect.stringContaining('Read as a file from Codex: 1 to add') })
    await undo()
    const yaml = 'extensions:\n  rem: { type: sse, uri: "https://g.example.com/sse", enabled: true }\n'
    const goose = await here.run(['import', await file('config.yaml', yaml)])
    expect(goose).toMatchObject({ code: 0, err: expect.stringContaining('Read as a file from Goose: 1 to add') })
    await undo()
    expect(codex.err + goose.err).not.toContain('hunter2')
  })

  test('gives a name that is taken another one, and what cannot be read a sentence', async () => {
    const path = await file('taken.json', { mcpServers: { demo: { command: 'x' } } })
    const { added } = (await here.json(['import', path])) as { added: string[] }
    expect(added).toHaveLength(1)
    expect(added[0]).not.toBe('demo')
    await undo()
    expect(await aliases()).toEqual(['demo'])
    expect(await here.run(['import', join(here.folder, 'nothing.json')])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/nothing\.json cannot be read \(ENOENT\): check the path\.\n$/),
    })
    const broken = `{ "mcpServers": { "a": { "command": "x", "env": { "TOKEN": "${SECRET}" "B": "c" } } } }`
    for (const text of [broken, '{ "mcpServers": { "a": ', '[]', '{"mcpServers": 7}', 'hello', '']) {
      const { code, out, err } = await here.run(['import', await file('broken.json', text)])
      expect({ text, code, out }).toEqual({ text, code: 2, out: '' })
      expect(err.trim()).not.toMatch(/^ +at |hunter2/m)
    }
    expect(await here.run(['import'])).toMatchObject({ code: 2, err: 'Specify a file to import, or use --undo.\n' })
  })
  test('leaves no secret in the log of the gateway', async () => {
    await here.run(['import', await file('claude_desktop_config.json', DESKTOP)])
    await undo()
    expect(await running.stop()).toBe(0)
    expect(running.err()).toContain('"connection":"remote"')
    expect(running.err()).not.toContain('hunter2')
  })
})
