/** The command line beside a running gateway: keys, connections, tools and calls, what they print and how they end. */
// @module-tag long
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from 'bcryptjs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findEmbeddedPostgres } from '../../packages/gateway/src/db/embedded-postgres.ts'
import { createBubblewrap } from '../../packages/gateway/src/upstreams/children/sandbox/bubblewrap.ts'
import { ask, callTool, textIn } from '../fault/caller.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'

const CHILD = join(import.meta.dirname, '../fault/faulty-child.script.ts')
const FILESYSTEM = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')
const bubblewrap = await createBubblewrap().check()
if (!bubblewrap.ready) console.warn(`No folder is hidden here: ${bubblewrap.reason}`)
const patiently = { interval: 50 }

let here: Installation
let running: Running
beforeAll(async () => {
  here = await makeInstallation()
  running = await here.start()
})
afterAll(() => here[Symbol.asyncDispose]())
const endpoint = (key: string) => ({ url: `${running.address}/mcp`, key })

describe('keys', () => {
  test('are printed once, work at once, and are refused within a second of their removal', async () => {
    const added = await here.run(['key', 'add', 'laptop'])
    expect(added).toMatchObject({ code: 0, err: 'The key is shown only once.\n' })
    expect(added.out).toMatch(/^uru_[0-9a-f]{64}\n$/)
    const key = added.out.trimEnd()
    const call = () => callTool(endpoint(key), 'demo__calculate', { expression: '6*7' })
    expect(textIn(await call())).toContain('42')
    const listed = await here.run(['key', 'list'])
    expect(listed.out).toMatch(
      /^laptop +uru_[0-9a-f]{8} +\w{4} +tenant_member +execute +any +never +never +command line +key_\w+$/m,
    )
    expect(listed.out).not.toContain(key)
    expect(await here.run(['key', 'remove', 'laptop'])).toMatchObject({ code: 0, err: '' })
    // The command has ended by the time the gateway may not have heard yet; a second is what it has.
    await expect.poll(async () => (await call()).status, { interval: 20 }).toBe(401)
  })

  test('have names of their own, and what does not exist is said so', async () => {
    expect(await here.run(['key', 'add', 'command line'])).toMatchObject({
      code: 1,
      out: '',
      err: 'Already exists: key "command line".\nChoose another name, or change the existing one.\n',
    })
    expect(await here.run(['key', 'remove', 'nobody'])).toMatchObject({
      code: 1,
      out: '',
      err: 'There is no key named "nobody" in default; `toolway key list` lists the keys (with --platform, the platform keys).\n',
    })
    expect(await here.run(['key', 'add', 'x', '--toolset', 'nope'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('/toolset is not a toolset in that organization'),
    })
    expect(await here.run(['key', 'add'])).toMatchObject({
      code: 2,
      err: expect.stringContaining("missing required argument 'name'"),
    })
  })

  test('speak JSON to programs', async () => {
    const row = {
      id: expect.stringMatching(/^key_/),
      name: 'ci',
      family: 'uru',
      prefix: expect.stringMatching(/^uru_[0-9a-f]{8}$/),
      hint: expect.any(String),
      role: 'tenant_member',
      limit: 'execute',
      toolset: null,
      trusted: false,
      trust_waits: false,
      organization: expect.stringMatching(/^org_/),
      user_id: null,
      origin: 'command line',
      created: expect.any(String),
      expires_at: null,
      last_used_at: null,
    }
    expect(await here.json(['key', 'add', 'ci'])).toEqual({
      ...row,
      key: expect.stringMatching(/^uru_[0-9a-f]{64}$/),
    })
    expect(await here.json(['key', 'list'])).toContainEqual({ ...row, user_email: null })
    expect(await here.json(['key', 'remove', 'ci'])).toEqual({ removed: 'ci' })
    const failed = await here.run(['key', 'remove', 'ci', '--json'])
    expect(failed).toMatchObject({ code: 1, out: '' })
    expect(JSON.parse(failed.err)).toEqual({
      error:
        'There is no key named "ci" in default; `toolway key list` lists the keys (with --platform, the platform keys).',
      exitCode: 1,
    })
  })
})

describe('what a key may', () => {
  const toolsOf = async (key: string) => {
    const { message } = await ask(endpoint(key), 'tools/list')
    return ((message.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
  }
  const rowsOf = async (text: string) => {
    const client = new pg.Client(await findEmbeddedPostgres({ directory: here.data }))
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end()
    }
  }

  test('is said when it was written: role, limit, time, form; it is shown in the list, and on record', async () => {
    const words = ['--limit', 'read', '--expires', '30d', '--family', 'scoped', '--role', 'tenant_viewer']
    const made = (await here.json(['key', 'add', 'report', ...words])) as {
      key: string
      id: string
      expires_at: string
    }
    expect(made).toMatchObject({ role: 'tenant_viewer', limit: 'read', family: 'scoped' })
    expect(made.key).toMatch(/^smcp_tv_[\w-]{43}$/)
    expect(Math.round((Date.parse(made.expires_at) - Date.now()) / 86_400_000)).toBe(30)
    expect(await toolsOf(made.key)).not.toContain('demo__notes_add')
    expect(await toolsOf(made.key)).toContain('demo__calculate')
    expect((await here.run(['key', 'list'])).out).toMatch(
      /^report +smcp_tv_\S{8} +\S{4} +tenant_viewer +read +any +20\d\d-/m,
    )
    expect(await here.run(['key', 'remove', 'report'])).toMatchObject({ code: 0 })
    await expect.poll(async () => (await ask(endpoint(made.key), 'tools/list')).status).toBe(401)
    const records = await rowsOf(
      `select method, principal, actor_type, detail from records where resource_id = '${made.id}' order by at, id`,
    )
    expect(records).toMatchObject([
      { method: 'key.add', principal: 'command line', actor_type: 'system', detail: { limit: 'read' } },
      { method: 'key.remove', principal: 'command line' },
    ])
    expect(JSON.stringify(records)).not.toContain(made.key.slice(16))
  })

  test('is that of the platform for a platform administrator, whose keys are listed and removed apart', async () => {
    const { key } = (await here.json(['key', 'add', 'operator', '--role', 'platform_admin'])) as { key: string }
    expect(key).toMatch(/^smcp_pa_/)
    const listed = await fetch(`${running.address}/api/v1/auth/keys`, { headers: { authorization: `Bearer ${key}` } })
    expect(listed.status).toBe(200)
    expect(await here.json(['key', 'list'])).not.toContainEqual(expect.objectContaining({ name: 'operator' }))
    expect(await here.json(['key', 'list', '--platform'])).toMatchObject([{ name: 'operator', organization: null }])
    expect(await here.run(['key', 'remove', 'operator', '--platform'])).toMatchObject({ code: 0 })
    expect(await here.json(['key', 'list', '--platform'])).toEqual([])
  })

  test('is refused where it makes no sense, in one sentence', async () => {
    for (const [words, said] of [
      [['--role', 'king'], '"king" is not a role'],
      [['--expires', 'soon'], '"soon" is not a time'],
      [['--expires', '2020-01-01'], 'must be in the future'],
      [['--limit', 'all'], 'Allowed choices are read, write, execute'],
    ] as const)
      expect(await here.run(['key', 'add', 'odd', ...words])).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(said),
      })
  })

  test('stays what it was for keys that are taken over with their hashes', async () => {
    const key = `smcp_tu_${'x'.repeat(43)}`
    const line = {
      name: 'old',
      prefix: 'smcp_tu_',
      role: 'tenant_user',
      organization: 'default',
      hash: await hash(key, 4),
    }
    expect(await here.run(['key', 'import', '-'], { input: `${JSON.stringify(line)}\n` })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Imported 1 key\./),
    })
    expect(await toolsOf(key)).toContain('demo__calculate')
    expect(await here.run(['key', 'import', '-'], { input: 'not json\n' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('line 1'),
    })
  })
})

describe('tools and calls', () => {
  test('lists what a key sees, with what each tool does to the world', async () => {
    const { code, out } = await here.run(['tools'])
    expect(code).toBe(0)
    expect(out).toMatch(/^TOOL +EFFECT +DESCRIPTION$/m)
    expect(out).toMatch(/^demo__notes_remove +destructive +/m)
    expect(out).toMatch(/^demo__notes_add +write +/m)
    for (const line of out.split('\n')) expect(line.length).toBeLessThan(140)
    expect(await here.json(['tools'])).toContainEqual(
      expect.objectContaining({ name: 'demo__calculate', inputSchema: expect.any(Object) }),
    )
  })

  test('end with a code that a script can use', async () => {
    expect(await here.run(['call', 'demo__calculate', '{"expression":"6*7"}'])).toEqual({
      code: 0,
      out: '6*7 = 42\n',
      err: '',
    })
    expect(await here.run(['call', 'demo__calculate', '-'], { input: '{"expression":"6*7"}' })).toEqual({
      code: 0,
      out: '6*7 = 42\n',
      err: '',
    })
    expect(await here.run(['call', 'demo__nothing'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('Unknown tool: demo__nothing'),
    })
    expect(await here.run(['call', 'demo__calculate', '{"expression":"1/0"}'])).toMatchObject({
      code: 3,
      out: expect.stringContaining('division by zero'),
    })
    const nowhere = await here.run(['call', 'demo__calculate', '{}', '--url', 'http://127.0.0.1:1/mcp'])
    expect(nowhere).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringMatching(/^No Toolway gateway is responding at http:\/\/127\.0\.0\.1:1\/mcp. Start one with/),
    })
    const stranger = await here.run(['tools', '--key', `uru_${'0'.repeat(64)}`])
    expect(stranger).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringContaining('The API key of this request is not valid'),
    })
  })

  test('refuse arguments that are no JSON object before they call anything', async () => {
    for (const text of ['{oops', '[1]', '"x"', '42', 'null', '']) {
      const { code, out, err } = await here.run(['call', 'demo__calculate', text])
      expect({ text, code, out }).toEqual({ text, code: 2, out: '' })
      expect(err).toMatch(
        /^The arguments (are not valid JSON|must be a JSON object).*'\{"zones": \["Asia\/Tokyo"\]\}'\.\n$/,
      )
    }
    expect(await here.run(['call', 'demo__calculate', '-'], { input: 'oops' })).toMatchObject({ code: 2 })
  })

  test('never send the local key to an address that was named', async () => {
    const seen: (string | undefined)[] = []
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/mcp`
    const byOption = await here.run(['tools', '--url', url])
    const byVariable = await here.run(['tools'], { settings: { TOOLWAY_URL: url } })
    other.close()
    expect(seen).toEqual([undefined, undefined])
    for (const ran of [byOption, byVariable])
      expect(ran).toMatchObject({ code: 4, err: expect.stringContaining('is it a Toolway address?') })
  })

  test('show progress on stderr, so that an answer stays clean', async () => {
    const { code, out, err } = await here.run(['call', 'demo__wait_for', '{"seconds":0.2,"steps":2}'])
    expect({ code, out }).toEqual({ code: 0, out: 'Waited 0.2 seconds in 2 steps.\n' })
    expect(err).toContain('2 of 2')
  })
})

describe('connections', () => {
  const add = (alias: string, ...words: string[]) => here.run(['connection', 'add', alias, ...words])
  const command = (way: string) => ['--', process.execPath, CHILD, way]

  test('are added, listed, tested and removed, and their tools come and go with them', async () => {
    const added = await add('child', '--revision', '2025-11-25', ...command('well'))
    expect(added).toMatchObject({ code: 0, out: 'child is connected: 15 tools, protocol 2025-11-25.\n' })
    expect((await here.run(['call', 'child__good'])).out).toBe('done\n')
    expect((await here.run(['connection', 'list'])).out).toMatch(/^child +connected +15 +2025-11-25 +/m)
    const tested = await here.run(['connection', 'test', 'child'])
    expect(tested).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^child works: faulty-child 1, protocol 2025-11-25, \d+ ms\.\n15 tools, 0 resources, 0 prompts\.\n$/,
      ),
    })
    expect(await here.run(['connection', 'remove', 'child'])).toMatchObject({
      code: 0,
      out: 'Removed child, its secrets and its tools.\n',
    })
    await expect.poll(async () => (await here.run(['call', 'child__good'])).err, patiently).toContain('Unknown tool')
    expect(await here.run(['connection', 'remove', 'child'])).toMatchObject({
      code: 1,
      err: 'There is no connection "child"; `toolway connection list` lists the connections.\n',
    })
  })

  test('leave records of their coming and going', async () => {
    const actions = async () => {
      const { items } = (await here.json(['records', 'list'])) as { items: { action: string; actor_id: string }[] }
      return items.filter((one) => one.actor_id === 'command line').map(({ action }) => action)
    }
    const before = (await actions()).length
    await here.run(['connection', 'add', 'noted', '--', process.execPath, CHILD])
    await here.run(['connection', 'restart', 'noted'])
    await here.run(['connection', 'remove', 'noted'])
    const after = await actions()
    expect(after.slice(0, after.length - before)).toEqual(['connection.remove', 'process.restart', 'connection.add'])
  })

  test('that cannot be reached are kept and say why; a test says at which step it fails and what mends it', async () => {
    const cases: { alias: string; words: string[]; phase: string; problem: RegExp }[] = [
      {
        alias: 'nobody',
        words: ['--url', 'http://127.0.0.1:1/mcp'],
        phase: 'open',
        problem: /is not available: nothing is listening there/,
      },
      {
        alias: 'page',
        words: ['--url', `${running.address}/health/live`],
        phase: 'run',
        problem: /responded with something that is not MCP/,
      },
      { alias: 'lost', words: ['--', 'no-such-command-here'], phase: 'open', problem: /no-such-command-here/ },
      {
        alias: 'crash',
        words: command('exit'),
        phase: 'open',
        problem: /it exited with code 7\./,
      },
    ]
    for (const { alias, words, phase, problem } of cases) {
      const added = await add(alias, ...words)
      expect(added).toMatchObject({ code: 1, out: expect.stringMatching(problem) })
      expect(added.out).toContain(`\`toolway connection test ${alias}\` shows details`)
      const tested = (await here.json(['connection', 'test', alias])) as Record<string, string>
      expect(tested).toMatchObject({
        alias,
        ok: false,
        phase,
        problem: expect.stringMatching(problem),
        mend: expect.stringMatching(/\w/),
      })
      expect(tested['mend']).not.toContain('connection test')
      const { code, out } = await here.run(['connection', 'test', alias])
      expect(code).toBe(1)
      expect(out).toMatch(/^Failed at the step "(open|run)": .*[^.]\.\n(Cause: .*\n)?Next step: .*\n$/)
    }
    const listed = (await here.json(['connection', 'list'])) as {
      alias: string
      status: string
      reason: string | null
    }[]
    for (const { alias } of cases)
      expect(listed).toContainEqual(expect.objectContaining({ alias, status: 'error', reason: expect.any(String) }))
    // The last output of a server may contain a secret: administrators read it here, callers do not get it.
    const crashed = (await here.json(['connection', 'test', 'crash'])) as Record<string, string>
    expect(crashed['cause']).toContain('API_TOKEN is not set')
    expect(crashed['problem']).not.toContain('API_TOKEN')
    const doctor = await here.run(['doctor'])
    expect(doctor).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^BAD +connection nobody: .*connection test nobody/m),
    })
    for (const { alias } of cases) await here.run(['connection', 'remove', alias])
    // Fourteen commands, each of them a process.
  })

  test.runIf(bubblewrap.ready)(
    'that worked before there was a sandbox say which folder is missing, and one command allows it',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'toolway-allowed-'))
      const notes = await mkdtemp(join(tmpdir(), 'toolway-notes-'))
      try {
        await writeFile(join(folder, 'poem.txt'), 'rivers')
        const variable = `NOTES_FILE=${notes}/notes.md`
        const added = await add('files', '--env', variable, '--', process.execPath, FILESYSTEM, folder)
        expect(added).toMatchObject({ code: 1 })
        expect(added.out).toContain(`${folder} is not allowed in the sandbox`)
        const doctor = await here.run(['doctor'])
        expect(doctor.out).toContain(`toolway connection allow files --allow-path ${folder}`)
        expect(await here.run(['connection', 'allow', 'files'])).toMatchObject({ code: 2 })
        const allowed = await here.run(['connection', 'allow', 'files', '--allow-path', `${folder}:ro`])
        expect(allowed).toMatchObject({ code: 0, out: expect.stringContaining('files is connected') })
        // It is connected, and says all the same what it lacks.
        const hint = `toolway connection allow files --allow-path ${notes})`
        expect(allowed.out).toContain(hint)
        for (const words of [['connection', 'list'], ['connection', 'test', 'files'], ['doctor']])
          expect((await here.run(words)).out, words.join(' ')).toContain(hint)
        const outside = await here.run(['doctor'], { settings: { TOOLWAY_SANDBOX_ROOTS: '/srv/{organization}' } })
        expect(outside.out).toMatch(
          /^BAD +paths of files: .*cannot be allowed: .*TOOLWAY_SANDBOX_ROOTS.*\/srv\/default\b/m,
        )
        const within = await here.run(['doctor'], { settings: { TOOLWAY_SANDBOX_ROOTS: folder } })
        expect(within.out).not.toContain('paths of files')
        const read = (path: string) => here.run(['call', 'files__read_text_file', JSON.stringify({ path })])
        expect((await read(join(folder, 'poem.txt'))).out).toContain('rivers')
        const { out } = await here.run(['connection', 'allow', 'files', '--remove-path', folder])
        expect(out).toContain(`${folder} is not allowed in the sandbox`)
        await here.run(['connection', 'remove', 'files'])
      } finally {
        for (const path of [folder, notes]) await rm(path, { recursive: true, force: true })
      }
    },
  )

  test('that are said wrongly are refused before anything is kept', async () => {
    const refused = async (sentence: RegExp | string, ...words: string[]) => {
      const { code, out, err } = await here.run(['connection', 'add', ...words])
      expect({ words, code, out }).toEqual({ words, code: 2, out: '' })
      expect(err).toMatch(sentence)
    }
    await refused('Use --url ADDRESS for a remote server, -- COMMAND ARGUMENTS', 'x')
    await refused('Use --url ADDRESS', 'x', '--url', 'http://x.example', '--', 'y')
    await refused('"X y" is not a valid alias: use at most 31 characters', 'X y', '--url', 'http://x.example')
    await refused(
      'The request is not valid: /url must start with http://, https://, ws:// or wss://.',
      'x',
      '--url',
      'ftp://x.example',
    )
    await refused(
      '--env applies to a server that the gateway starts; use --header for a remote one.',
      'x',
      '--url',
      'http://x.example',
      '--env',
      'A=b',
    )
    await refused(
      '--header applies to a remote server; use --env for one that the gateway starts.',
      'x',
      '--header',
      'A: b',
      '--',
      'y',
    )
    await refused(
      'A value given to --env is neither NAME=value nor the name of a variable that is set.',
      'x',
      '--env',
      'hunter2',
      '--',
      'y',
    )
    await refused(/argument '2020' is invalid.*2026-07-28/, 'x', '--revision', '2020', '--', 'y')
    await refused('Must be a number of seconds up to 3600.', 'x', '--timeout', 'soon', '--', 'y')
    expect(await here.run(['connection', 'add', 'demo', '--url', 'http://x.example'])).toMatchObject({
      code: 1,
      err: 'The alias "demo" is already in use: choose another, or first remove the connection that uses it.\n',
    })
  })

  test('show no secret, wherever it was said', async () => {
    await add(
      'secret',
      '--url',
      'http://127.0.0.1:1/mcp?api_key=hunter2hunter2',
      '--header',
      'Authorization: Bearer hunter2hunter2',
    )
    await add('secret2', '--env', 'API_TOKEN=hunter2hunter2', '--', 'no-such-command-here', '--token', 'hunter2hunter2')
    const shown = await Promise.all(
      [
        ['connection', 'list'],
        ['connection', 'list', '--json'],
        ['connection', 'test', 'secret'],
        ['connection', 'test', 'secret2'],
        ['doctor'],
      ].map((words) => here.run(words)),
    )
    for (const { out, err } of shown) expect(out + err).not.toContain('hunter2')
    expect(shown[0]?.out).toContain('•••')
    expect(running.err()).not.toContain('hunter2')
    for (const alias of ['secret', 'secret2']) await here.run(['connection', 'remove', alias])
  })
})

describe('doctor', () => {
  test('finds nothing wrong where nothing is', async () => {
    const { code, out } = await here.run(['doctor'])
    expect(out).not.toContain('BAD')
    expect(code).toBe(0)
    for (const what of ['node', 'settings', 'data directory', 'database', 'connection demo', 'gateway', 'a call'])
      expect(out).toMatch(new RegExp(`^ok +${what}: `, 'm'))
    expect(await here.json(['doctor'])).toContainEqual({
      what: 'gateway',
      state: 'good',
      detail: `ready at ${running.address}`,
    })
  })

  test('looks without making anything, and says what is missing', async () => {
    const nowhere = { settings: { TOOLWAY_DATA: join(here.folder, 'nowhere') } }
    const { code, out } = await here.run(['doctor'], nowhere)
    expect(code).toBe(0)
    expect(out).toMatch(
      /^note +data directory: \S+nowhere does not exist yet; it is created when the gateway first starts$/m,
    )
    expect(out).toMatch(/^note +database: does not exist yet; it is created when the gateway first starts$/m)
    expect(out).toMatch(/^note +gateway: none running at /m)
    expect((await here.run(['doctor'], nowhere)).out).toMatch(/does not exist yet/)
  })
})

describe('help', () => {
  test('is there for every command, with examples where one would ask, and the exit codes', async () => {
    const top = await here.run(['--help'])
    expect(top.code).toBe(0)
    for (const name of ['start', 'connection', 'tools', 'call', 'key', 'import', 'doctor', 'config'])
      expect(top.out).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
    for (const words of [['start'], ['connection', 'add'], ['tools'], ['call'], ['key', 'add'], ['import']]) {
      const { code, out } = await here.run([...words, '--help'])
      expect(code).toBe(0)
      expect({ words, out }).toEqual({ words, out: expect.stringMatching(/Examples:\n  .*toolway/) })
      expect(out).toContain('Exit codes: 0 success')
    }
    expect(await here.run([])).toMatchObject({ code: 0, out: expect.stringContaining('toolway --help') })
    expect(await here.run(['tolos'])).toMatchObject({ code: 2, err: expect.stringContaining('(Did you mean tools?)') })
    expect(await here.run(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })
})
