/** Administrators, and no caller, read what a confined server lacks, with the command that grants it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { createBubblewrap } from '../../../packages/gateway/src/upstreams/children/sandbox/bubblewrap.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { until } from '../peers/until.ts'

const SCRIPT = join(import.meta.dirname, '../peers/servers/reader.script.ts')
const CONNECTIONS = '/api/v1/admin/tenants/default/connectors'
const bubblewrap = await createBubblewrap().check()

describe.runIf(bubblewrap.ready)('a server that lacks something in its sandbox', () => {
  const parts = new AsyncDisposableStack()
  let at = ''
  let gateway: TestGateway
  let platform: Ask
  let admin: Ask
  let member: Ask
  beforeAll(async () => {
    at = await mkdtemp(join(tmpdir(), 'toolway-lacks-'))
    parts.defer(() => rm(at, { recursive: true, force: true }))
    await mkdir(join(at, 'given'))
    await mkdir(join(at, 'work'))
    await writeFile(join(at, 'work/a.txt'), 'a poem')
    const reader = (alias: string, args: readonly string[] = [], more: object = {}) => ({
      alias,
      wire: { kind: 'process' as const, command: process.execPath, args: [SCRIPT, ...args], environment: {}, ...more },
    })
    gateway = parts.use(
      await startTestGateway({
        connections: [
          reader('memory', [], { environment: { MEMORY_FILE_PATH: `${at}/given/mem.json` } }),
          reader('git'),
          reader('fetching', ['--fetch=http://packages.example/a', join(at, 'given')], {
            access: { network: 'listed', allow_hosts: ['other.example'] },
          }),
        ],
      }),
    )
    platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
    member = createAsk(gateway, await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id }))
  })
  afterAll(() => parts.disposeAsync())

  const hintsOf = async (alias: string, ask = platform) => {
    const { body } = await ask(`GET ${CONNECTIONS}/${alias}`)
    return body['hints'] as string[]
  }
  const read = async (path: string) =>
    (await callTool({ url: gateway.connectionUrl('git'), key: gateway.key, era: 'modern' }, 'read', { path })).answer

  test('is connected, and its state names the folder in which its variable wants a file', async () => {
    expect(await gateway.settled('memory')).toMatchObject({ status: 'connected' })
    const hint = `toolway connection allow memory --allow-path ${at}/given)`
    expect(await hintsOf('memory')).toEqual([expect.stringContaining(hint)])
    const { body } = await platform(`GET ${CONNECTIONS}/memory`)
    expect(body).toMatchObject({ status: 'connected', status_reason: null })
    // A look at its tools, and another gateway, leave it.
    await platform(`POST ${CONNECTIONS}/memory/tools/sync`)
    expect(await hintsOf('memory')).toHaveLength(1)
    await gateway.restart()
    expect(await gateway.settled('memory')).toMatchObject({ status: 'connected' })
    await until('the hint is told again', async () => (await hintsOf('memory')).length === 1)
  })

  test('is told of after a call that failed, to those alone who may allow the path', async () => {
    await gateway.settled('git')
    const there = await read(`${at}/work/a.txt`)
    const absent = await read(`${at}/work/b.txt`)
    // A caller cannot tell which of them exists.
    const plain = (answer: object) => JSON.stringify(answer).replaceAll(/[ab]\.txt/g, 'x.txt')
    expect(plain(there).replace(/"id":\d+/, '')).toBe(plain(absent).replace(/"id":\d+/, ''))
    expect(plain(there)).toContain('ENOENT')
    await until('it is told', async () => (await hintsOf('git')).length > 0)
    expect((await hintsOf('git'))[0]).toContain(`${at}/work/a.txt is not allowed in the sandbox`)
    expect((await hintsOf('git'))[0]).toContain('toolway connection allow git --allow-path')
    // Of these only the platform may allow a path, as TOOLWAY_SANDBOX_ROOTS is not set.
    for (const ask of [admin, member]) {
      expect(await hintsOf('git', ask)).toEqual([])
      const told = await ask(`GET ${CONNECTIONS}/git`)
      expect(told.text).not.toContain(at)
      const log = await ask('GET /api/v1/organizations/default/connections/git/log')
      expect(log.text).not.toContain('is not allowed in the sandbox')
    }
    expect(gateway.log.filter(({ facts }) => Array.isArray(facts['hints'])).length).toBeGreaterThan(0)
  })

  test('is told all reasons why it does not start: the refused host first, then its own words, then the path', async () => {
    const { status, reason } = await gateway.settled('fetching')
    expect(status).toBe('error')
    expect(reason).toMatch(
      new RegExp(
        `did not let it connect to packages\\.example .*toolway connection allow fetching --allow-host packages\\.example\\. ` +
          `It said: npm error code E403\\. ${at}/given is not allowed in the sandbox: .*connection allow fetching --allow-path`,
      ),
    )
    const { body } = await platform(`POST ${CONNECTIONS}/fetching/tools/sync`)
    expect(body['failure']).toMatchObject({
      cause: expect.stringMatching(/packages\.example .*E403; .*given is not allowed/),
    })
    // Its callers read none of it.
    const peer = { url: gateway.connectionUrl('fetching'), key: gateway.key, era: 'modern' as const }
    expect(JSON.stringify(await callTool(peer, 'read', {}))).not.toMatch(/packages\.example|E403|given/)
  })
})
