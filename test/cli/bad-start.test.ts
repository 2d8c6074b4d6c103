/** Starts that cannot go well: each ends with one sentence that names the cause and the mend, and with an exit code. */
// @module-tag long
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeInstallation, type Installation, type Settings } from './installation.ts'

/** The sentence it ended with; what it logged on the way is JSON. */
async function refuse(here: Installation, settings: Settings): Promise<string> {
  const { code, out, err } = await here.run(['start'], { settings })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).not.toMatch(/^\s+at |node:internal/m)
  const lines = err
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('{') && !line.endsWith(' …'))
  expect(lines).toHaveLength(1)
  return lines[0] ?? ''
}

async function withFile(text: string): Promise<Installation & { file: string }> {
  const here = await makeInstallation({}, { bare: true })
  const file = join(here.folder, 'toolway.yaml')
  await writeFile(file, text)
  return { ...here, file }
}

describe('settings that do not fit', () => {
  test.each([
    [{ TOOLWAY_PROT: '9000' }, 'TOOLWAY_PROT is not a setting of Toolway: did you mean TOOLWAY_PORT?'],
    [
      { TOOLWAY_WHATEVER: 'x' },
      'TOOLWAY_WHATEVER is not a setting of Toolway: unset it; `toolway config` then lists all settings.',
    ],
    [
      { TOOLWAY_PORT: 'http' },
      'TOOLWAY_PORT is "http" (from the environment): it must be a whole number from 0 to 65535.',
    ],
    [
      { TOOLWAY_PORT: '65536' },
      'TOOLWAY_PORT is "65536" (from the environment): it must be a whole number from 0 to 65535.',
    ],
    [
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL is "loud" (from the environment): it must be one of debug, info, warn, error, silent.',
    ],
    [{ TOOLWAY_AUTH: 'no' }, 'TOOLWAY_AUTH is "no" (from the environment): it must be on or off.'],
    [
      { TOOLWAY_PUBLIC_URL: 'tools.example.com' },
      'TOOLWAY_PUBLIC_URL is "tools.example.com" (from the environment): it must start with http:// or https://.',
    ],
    [
      { TOOLWAY_PORT: '1', TOOLWAY_PORT_FILE: '/etc/hostname' },
      'TOOLWAY_PORT and TOOLWAY_PORT_FILE are both set: keep one of them.',
    ],
    [
      { DATABASE_URL_FILE: '/no/such/file' },
      'DATABASE_URL_FILE points to /no/such/file, which cannot be read (ENOENT): check the path and its permissions.',
    ],
    [
      { TOOLWAY_AUTH: 'off', TOOLWAY_HOST: '0.0.0.0' },
      'TOOLWAY_AUTH=off is refused with TOOLWAY_HOST=0.0.0.0, because everybody on that network could call your tools: listen on 127.0.0.1 or require keys.',
    ],
    [
      { TOOLWAY_CONFIG: '/no/such/file.yaml' },
      'The declaration file /no/such/file.yaml cannot be read (ENOENT): check the path and its permissions.',
    ],
  ])('%j', async (settings, sentence) => {
    await using here = await makeInstallation({}, { bare: true })
    expect(await refuse(here, settings as Settings)).toBe(sentence)
  })

  test('a secret that does not fit is not shown', async () => {
    await using here = await makeInstallation({}, { bare: true })
    expect(await refuse(here, { TOOLWAY_BOOTSTRAP_KEY: 'hunter2' })).toBe(
      'TOOLWAY_BOOTSTRAP_KEY is not valid (from the environment): it must be uru_ followed by 64 hexadecimal digits.',
    )
    expect(await refuse(here, { DATABASE_URL: 'mysql://u:hunter2@h/d' })).not.toContain('hunter2')
    expect(await refuse(here, { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' })).toBe(
      'The database at DATABASE_URL cannot be used (ECONNREFUSED): check that PostgreSQL is running, and check the host and port in DATABASE_URL.',
    )
  })
})

describe('a declaration file that does not fit', () => {
  const cases: [string, string][] = [
    [
      'connections:\n  a:\n    url: [\n',
      ':4:1: this is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ].',
    ],
    ['conections: {}\n', ':1:1: conections is unknown (did you mean "connections"?).'],
    ['connections:\n  a:\n    uri: http://x.example\n', ':3:5: connections.a.uri is unknown (did you mean "url"?).'],
    [
      'connections:\n  a: {}\n',
      ':2:3: connections.a needs a url (a remote server) or a command (a server that the gateway starts).',
    ],
    [
      'connections:\n  a:\n    url: http://x.example\n    command: x\n',
      ':2:3: connections.a has both url and command: keep one of them.',
    ],
    [
      'connections:\n  a:\n    url: ftp://hunter2@x.example\n',
      ':3:5: connections.a.url must be an address that starts with http://, https://, ws:// or wss://.',
    ],
    [
      'connections:\n  a:\n    url: {env: NO_SUCH}\n',
      ':3:5: connections.a.url needs the environment variable NO_SUCH, which is not set.',
    ],
    [
      'connections:\n  a:\n    command: x\n    args: [a, {env: NO_SUCH}]\n',
      ':4:15: connections.a.args[1] needs the environment variable NO_SUCH, which is not set.',
    ],
    [
      'connections:\n  a:\n    url: http://x.example\n    timeout: -1\n',
      ':4:5: connections.a.timeout must be a number of seconds above 0 and up to 3600.',
    ],
    [
      'connections:\n  A b:\n    url: http://x.example\n',
      ':2:3: connections.A b is not a valid name: must start with a-z and have at most 31 characters of a-z, 0-9, _ and -, without __ and without _ at the end.',
    ],
    [
      'keys:\n  ci:\n    value: hunter2\n',
      ':3:5: keys.ci.value must be uru_ followed by 64 hexadecimal digits, or a scoped key (smcp_…).',
    ],
    [
      'organizations:\n  acme:\n    keys:\n      ci:\n        value: {file: no-such}\n',
      ':5:9: organizations.acme.keys.ci.value points to ',
    ],
    [
      'organizations:\n  default: {}\n',
      ':2:3: organizations.default belongs at the top level of the file, which is the organization "default".',
    ],
    [
      'connections:\n  a:\n    type: stdio\n    url: http://x.example\n',
      ':3:5: connections.a.type must be one of http, sse, ws.',
    ],
    ['connections:\n  a:\n    type: sse\n    command: x\n', ':3:5: connections.a.type must be one of stdio.'],
    [
      'connections:\n  a:\n    type: ws\n    url: http://hunter2.example\n',
      ':4:5: connections.a.url must start with ws:// or wss://, as its type is ws.',
    ],
    ['- a\n', ': must be a mapping (name: value).'],
  ]
  test.each(cases)('%j', async (text, problem) => {
    await using here = await withFile(text)
    const sentence = await refuse(here, { TOOLWAY_CONFIG: here.file })
    expect(sentence).toContain(`${here.file}${problem}`)
    expect(sentence).not.toContain('hunter2')
  })

  test('S4-SRV-04: gives a server’s name and type, with url and headers or with command and args; a doubled name is an error with its place', async () => {
    const remote = `connections:\n  remote:\n    type: http\n    url: http://127.0.0.1:1/mcp\n    headers: { X-Team: blue }\n`
    const local = `  local:\n    type: stdio\n    command: no-such-command\n    args: [--quiet]\n`
    await using here = await withFile(remote + local)
    const running = await here.start({ TOOLWAY_CONFIG: here.file })
    const listed = await here.json(['connection', 'list'])
    expect(listed).toContainEqual(
      expect.objectContaining({ alias: 'remote', reaches: 'http://127.0.0.1:1/mcp', origin: 'file' }),
    )
    expect(listed).toContainEqual(
      expect.objectContaining({ alias: 'local', reaches: 'no-such-command --quiet', origin: 'file' }),
    )
    expect(await running.stop()).toBe(0)
    await writeFile(here.file, remote + local + local)
    expect(await refuse(here, { TOOLWAY_CONFIG: here.file })).toBe(
      `${here.file}:10:3: local appears twice here: remove one, or give it another name.`,
    )
    const entry = '{ "command": "python", "args": ["src/mcp_server.py"] }'
    await writeFile(here.file, `{ "connections": {\n"local_toolkit": ${entry},\n"local_toolkit": ${entry} } }`)
    expect(await refuse(here, { TOOLWAY_CONFIG: here.file })).toBe(
      `${here.file}:3:1: "local_toolkit" appears twice here: remove one, or give it another name.`,
    )
    await writeFile(here.file, `{ "mcpServers": {\n"local_toolkit": ${entry},\n"local_toolkit": ${entry} } }`)
    expect(await here.run(['import', here.file])).toMatchObject({
      code: 2,
      err: expect.stringContaining('mcpServers contains the server "local_toolkit" twice: remove one of them'),
    })
  })

  test('a name that is taken by something else is a conflict that says how to mend it', async () => {
    await using here = await withFile('connections:\n  demo:\n    url: http://x.example\n')
    await (await here.start()).stop()
    expect(await refuse(here, { TOOLWAY_CONFIG: here.file })).toBe(
      'The declaration file declares the connection "demo", which already exists (from first run): remove that one (`toolway connection remove "demo"`) or choose another name.',
    )
    expect(await here.run(['connection', 'remove', 'demo'])).toMatchObject({ code: 0 })
    expect(await (await here.start({ TOOLWAY_CONFIG: here.file })).stop()).toBe(0)
  })
})

describe('a place that is taken or of no use', () => {
  test('a port that another program has', async () => {
    await using here = await makeInstallation({}, { bare: true })
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    try {
      expect(await refuse(here, { TOOLWAY_PORT: String(port) })).toBe(
        `Port ${port} on 127.0.0.1 is in use by another program: stop it, or set TOOLWAY_PORT to another port.`,
      )
    } finally {
      other.close()
    }
    expect(await (await here.start()).stop()).toBe(0)
  })

  test('an address that this machine has not', async () => {
    await using here = await makeInstallation({}, { bare: true })
    expect(await refuse(here, { TOOLWAY_HOST: '203.0.113.7' })).toBe(
      'This machine does not have the address 203.0.113.7: set TOOLWAY_HOST to one of its addresses, or to 0.0.0.0 for all.',
    )
  })

  test('a directory in which another Toolway runs; that one notices nothing', async () => {
    await using here = await makeInstallation({}, { bare: true })
    const running = await here.start()
    expect(await refuse(here, {})).toMatch(
      /^The data directory \S+ is in use by another Toolway gateway \(its database runs as process \d+\): stop that one, or set TOOLWAY_DATA to another directory\.$/,
    )
    expect((await here.run(['call', 'demo__calculate', '{"expression":"6*7"}'])).out).toContain('42')
    expect(await running.stop()).toBe(0)
  })

  test('a directory that cannot be made, or is a file', async () => {
    await using here = await makeInstallation({}, { bare: true })
    const file = join(here.folder, 'file')
    await writeFile(file, '')
    for (const path of [file, join(file, 'below')]) {
      expect(await refuse(here, { TOOLWAY_DATA: path })).toMatch(
        /^The data directory \S+ cannot be used, because it or something in its path is a file \(\w+\): change its owner, or set TOOLWAY_DATA to another directory\.$/,
      )
    }
    expect(await refuse(here, { TOOLWAY_DATA: '/proc/toolway' })).toMatch(
      /^The data directory \/proc\/toolway cannot be used, because /,
    )
  })

  test('a vault key that is broken, or belongs to another database', async () => {
    await using here = await makeInstallation({}, { bare: true })
    await mkdir(here.data)
    await writeFile(join(here.data, 'vault.key'), 'oops')
    expect(await refuse(here, {})).toContain('does not contain 64 hex digits: restore the right key')
    await writeFile(join(here.data, 'vault.key'), 'ab'.repeat(32))
    await (await here.start()).stop()
    await writeFile(join(here.data, 'vault.key'), 'cd'.repeat(32))
    expect(await refuse(here, {})).toMatch(/^The database was encrypted with a different vault key than the one in /)
  })
})
