/** The vault's keys as an operator has them: seen, renewed while a gateway runs, dropped; and every source they may come from. */
// @module-tag long
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SETTINGS } from '../../packages/gateway/src/config.ts'
import { startEcho } from './echo-server.ts'
import { makeInstallation, type Installation, type Settings } from './installation.ts'

interface Status {
  readonly keys: readonly { id: string; source: string; use: string; values: number }[]
}
const statusOf = async (here: Installation, settings?: Settings) =>
  (await here.json(['vault', 'status'], settings === undefined ? {} : { settings })) as Status

const HEX = 'ab'.repeat(32)
const NEXT = 'cd'.repeat(32)

describe('the keys of the vault', () => {
  test('S2-ENC-04: are turned while the gateway runs: keys stay good, secrets open, and the old one is dropped', async () => {
    await using here = await makeInstallation()
    await using echo = await startEcho()
    const gateway = await here.start()
    const { key } = (await here.json(['key', 'add', 'laptop'])) as { key: string }
    await here.run(['connection', 'add', 'echo', '--url', echo.url, '--header-from', '-'], {
      input: 'Authorization: Bearer s3cret-of-echo\n',
    })
    const tools = () => here.run(['tools'], { settings: { TOOLWAY_KEY: key, TOOLWAY_URL: `${gateway.address}/mcp` } })
    expect(await tools()).toMatchObject({ code: 0 })
    const before = await statusOf(here)
    expect(before.keys).toMatchObject([{ source: 'file vault.key', use: 'encrypts' }])
    const [old] = before.keys
    if (old === undefined) throw new Error('there is no key')
    expect(old.values).toBeGreaterThan(1)

    const turned = await here.run(['vault', 'rotate'])
    expect(turned.code).toBe(0)
    expect(turned.out).toMatch(
      /^The vault key is now [0-9a-f]{16} \(file vault\.keys\); \d+ values were re-encrypted\.$/m,
    )
    expect(turned.err).toMatch(/is now used for encryption/)
    expect(turned.out + turned.err).not.toMatch(/[0-9a-f]{64}/)
    const after = await statusOf(here)
    expect(after.keys).toMatchObject([
      { source: 'file vault.keys', use: 'encrypts', values: old.values },
      { id: old.id, source: 'file vault.key', use: 'decrypts', values: 0 },
    ])

    // The same process, the same key; what it seals and opens now is the new one's.
    expect(await tools()).toMatchObject({ code: 0 })
    expect(await here.run(['tools'])).toMatchObject({ code: 0 })
    const calls = echo.seen.length
    await here.run(['connection', 'restart', 'echo'])
    await expect.poll(() => echo.seen.length).toBeGreaterThan(calls)
    expect(new Set(echo.seen)).toEqual(new Set(['Bearer s3cret-of-echo']))

    const [current] = after.keys
    expect(await here.run(['vault', 'retire', current?.id ?? ''])).toMatchObject({ code: 1 })
    expect(await here.run(['vault', 'retire', old.id])).toMatchObject({ code: 0 })
    expect(await readdir(here.data)).not.toContain('vault.key')
    expect((await statusOf(here)).keys).toHaveLength(1)
    expect(await tools()).toMatchObject({ code: 0 })
    expect(await gateway.stop()).toBe(0)

    const again = await here.start()
    expect(await here.run(['tools'], { settings: { TOOLWAY_KEY: key } })).toMatchObject({ code: 0 })
    expect(await again.stop()).toBe(0)
  })

  test('may stand in the environment, from one to the next without a stop in between', async () => {
    await using here = await makeInstallation()
    const first = { MCP_ENCRYPTION_KEY: HEX }
    await (await here.start(first)).stop()
    expect(await readdir(here.data)).not.toContain('vault.key')
    const refused = await here.run(['vault', 'rotate'], { settings: first })
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.err).toContain('as MCP_ENCRYPTION_KEY and the old value as MCP_ENCRYPTION_KEY_PREVIOUS')
    expect(refused.err).not.toContain('    at ')

    const both = { MCP_ENCRYPTION_KEY: NEXT, MCP_ENCRYPTION_KEY_PREVIOUS: HEX }
    const gateway = await here.start(both)
    expect((await statusOf(here, both)).keys).toMatchObject([
      { source: 'MCP_ENCRYPTION_KEY_PREVIOUS', use: 'encrypts' },
      { source: 'MCP_ENCRYPTION_KEY', use: 'unused' },
    ])
    expect(await here.run(['vault', 'rotate'], { settings: both })).toMatchObject({ code: 0 })
    expect(await here.run(['tools'], { settings: both })).toMatchObject({ code: 0 })
    await gateway.stop()
    await (await here.start({ MCP_ENCRYPTION_KEY: NEXT })).stop()
    const wrong = here.begin(first)
    await expect(wrong.ready()).rejects.toThrow(/encrypted with a different vault key/)
  })

  test('S2-ENC-02: are not made of a short JWT_SECRET, nor of two settings that say different things', async () => {
    await using here = await makeInstallation()
    const say = async (settings: Settings) => {
      const { code, err } = await here.run(['config'], { settings })
      expect(code).toBe(1)
      return err
    }
    expect(await say({ JWT_SECRET: 'short' })).toMatch(/^JWT_SECRET is not valid .*fewer than 32 bytes/)
    expect(await say({ JWT_SECRET: 'short' })).not.toContain('short')
    expect(await say({ JWT_SECRET: 'x'.repeat(32), SECRET_KEY: 'y'.repeat(32) })).toContain(
      'JWT_SECRET and SECRET_KEY are both set',
    )
    expect(await say({ MCP_ENCRYPTION_KEY: HEX, MCP_ENCRYPTION_KEY_FILE: '/x' })).toContain(
      'MCP_ENCRYPTION_KEY and MCP_ENCRYPTION_KEY_FILE are both set',
    )
    expect(await say({ MCP_ENCRYPTION_KEY: 'abc' })).toContain('64 hexadecimal digits')
    expect(await here.run(['config'], { settings: { SECRET_KEY: 'z'.repeat(32) } })).toMatchObject({ code: 0 })
  })

  test('S3-SEC-04: and every other secret may be in a file that a NAME_FILE names, and are masked where they are listed', async () => {
    await using here = await makeInstallation()
    const secrets = {
      TOOLWAY_BOOTSTRAP_KEY: `uru_${'12'.repeat(32)}`,
      AWS_SECRET_ACCESS_KEY: 's3cret-of-the-bucket',
      AWS_SESSION_TOKEN: 's3cret-of-a-session',
      TOOLWAY_OIDC_CLIENT_SECRET: 's3cret-of-the-gateway',
      MCP_API_KEY: 'one key for everybody',
      MCP_ADMIN_API_KEY: 'another for administrators',
      BACKEND_API_KEY: 's3cret-of-the-backend',
      GITHUB_CLIENT_SECRET: 's3cret-at-github',
      GITLAB_CLIENT_SECRET: 's3cret-at-gitlab',
      GOOGLE_CLIENT_SECRET: 's3cret-at-google',
      NOTION_CLIENT_SECRET: 's3cret-at-notion',
      ZOOM_CLIENT_SECRET: 's3cret-at-zoom',
      MICROSOFT_CLIENT_SECRET: 's3cret-at-microsoft',
      BITBUCKET_CLIENT_SECRET: 's3cret-at-bitbucket',
      JIRA_CLIENT_SECRET: 's3cret-at-jira',
      LINEAR_CLIENT_SECRET: 's3cret-at-linear',
      DISCORD_CLIENT_SECRET: 's3cret-at-discord',
      SLACK_CLIENT_SECRET: 's3cret-at-slack',
      TOOLWAY_PROGRAM_PROXY: 'http://ada:s3cret@127.0.0.1:3128',
      TOOLWAY_NPM_REGISTRY: 'https://ada:s3cret@npm.example/',
      TOOLWAY_PYTHON_INDEX: 'https://ada:s3cret@python.example/simple',
      MCP_ENCRYPTION_KEY: HEX,
      MCP_ENCRYPTION_KEY_PREVIOUS: NEXT,
      JWT_SECRET: 'a secret of at least thirty-two bytes',
      VAULT_TOKEN: 'hvs.s3cret-at-vault',
      VAULT_SECRET_ID: 's3cret-of-the-role',
      DATABASE_URL: 'postgres://u:s3cret@127.0.0.1/x',
      DATABASE_DIRECT_URL: 'postgres://u:s3cret@127.0.0.1:1/x',
      REDIS_URL: 'redis://:s3cret@127.0.0.1',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=s3cret-of-all-signals',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=s3cret-of-traces',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'authorization=s3cret-of-metrics',
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'authorization=s3cret-of-logs',
      LOGFIRE_TOKEN: 's3cret-token-of-logfire',
    }
    const secret = Object.entries(SETTINGS).flatMap(([name, setting]) => (setting.secret ? [name] : []))
    expect(Object.keys(secrets), 'a secret setting that is new belongs in this list').toEqual(secret)
    // Half of an OAuth app is refused.
    const settings: Record<string, string> = Object.fromEntries(
      secret
        .filter((name) => name.endsWith('_CLIENT_SECRET') && !name.startsWith('TOOLWAY_'))
        .map((name) => [name.replace('SECRET', 'ID'), 'an id']),
    )
    settings['VAULT_ROLE_ID'] = 'a role'
    for (const [name, value] of Object.entries(secrets)) {
      const path = join(here.folder, name)
      await writeFile(path, `${value}\n`)
      settings[`${name}_FILE`] = path
    }
    const { out, code } = await here.run(['config'], { settings })
    expect(code).toBe(0)
    for (const [name, value] of Object.entries(secrets)) {
      expect(out).toMatch(new RegExp(`${name} .*${join(here.folder, name)}`))
      expect(out).not.toContain(value)
    }
    const json = await here.run(['config', '--json'], { settings })
    for (const value of Object.values(secrets)) expect(json.out).not.toContain(value)
    const {
      DATABASE_URL_FILE: _database,
      DATABASE_DIRECT_URL_FILE: _direct,
      REDIS_URL_FILE: _redis,
      TOOLWAY_OIDC_CLIENT_SECRET_FILE: _,
      ...keys
    } = settings
    const gateway = await here.start(keys)
    expect((await statusOf(here, keys)).keys.map(({ source }) => source)).toEqual([
      'MCP_ENCRYPTION_KEY',
      'MCP_ENCRYPTION_KEY_PREVIOUS',
      'JWT_SECRET',
    ])
    await gateway.stop()
  })

  test('are looked at by the doctor: where they come from, and whether others can read them', async () => {
    await using here = await makeInstallation()
    const file = join(here.data, 'vault.key')
    expect((await here.run(['doctor'])).out).toMatch(/^note {2}vault key: none yet/m)
    await (await here.start()).stop()
    expect((await here.run(['doctor'])).out).toMatch(/^ok {4}vault key: [0-9a-f]{16} from file vault\.key/m)
    await chmod(file, 0o644)
    const { out, code } = await here.run(['doctor'])
    expect(code).toBe(1)
    expect(out).toContain(`secret file: ${file} can be read by others: chmod 600 it`)
    expect(out).not.toContain((await readFile(file, 'utf8')).trim())
  })

  test('stay in their file where a keychain is asked for and there is none, and the start says so', async () => {
    await using here = await makeInstallation()
    // No session bus is ever found there.
    const settings = { TOOLWAY_KEYCHAIN: 'on', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' }
    const gateway = await here.start(settings)
    expect(gateway.err()).toContain('the keychain did not accept it')
    expect((await stat(join(here.data, 'vault.key'))).mode & 0o777).toBe(0o600)
    await gateway.stop()
    expect((await here.run(['doctor'], { settings })).out).toMatch(
      /^note {2}keychain: TOOLWAY_KEYCHAIN is on, but the key/m,
    )
  })

  test('of an installation without one that was lost: the start refuses and makes no other', async () => {
    await using here = await makeInstallation()
    await (await here.start()).stop()
    await rm(join(here.data, 'vault.key'))
    const failing = here.begin()
    await expect(failing.ready()).rejects.toThrow(/none was found\): restore that vault\.key/)
    expect(await readdir(here.data)).not.toContain('vault.key')
  })
})
