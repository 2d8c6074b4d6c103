import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createKeySources, NoPlaceForKey, type KeySettings } from './key-sources.ts'
import type { Keychain } from './keychain.ts'

const [A, B, C] = ['aa'.repeat(32), 'bb'.repeat(32), 'cc'.repeat(32)] as const
const SECRET = 'a secret of at least thirty-two bytes'

/** A keychain with the ways in which real ones fail. */
function fakeKeychain() {
  const held = new Map<string, string>()
  const fails: { read?: boolean; write?: boolean; forgets?: boolean; garbles?: boolean } = {}
  const denied = () => new Error("Couldn't access platform storage: AccessDenied")
  const keychain: Keychain = {
    async read(account) {
      if (fails.read) throw denied()
      return held.get(account)
    },
    async write(account, text) {
      if (fails.write) throw denied()
      if (!fails.forgets) held.set(account, fails.garbles ? text.slice(1) : text)
    },
    async remove(account) {
      held.delete(account)
    },
  }
  return { keychain, held, fails }
}

async function directory(files: Record<string, string> = {}) {
  const path = await mkdtemp(join(tmpdir(), 'toolway-keys-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text, { mode: 0o600 })
  const fake = fakeKeychain()
  const sources = (settings: KeySettings = {}) =>
    createKeySources({ directory: path, settings, keychain: fake.keychain })
  return {
    ...fake,
    path,
    sources,
    found: async (settings: KeySettings = {}) =>
      (await sources(settings).find()).keys.map(({ source, root }) => [source, root.toString('hex')]),
    files: () => readdir(path),
    read: (name: string) => readFile(join(path, name), 'utf8'),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

describe('the vault key', () => {
  test('S2-ENC-02: comes from the keychain before all else', async () => {
    await using here = await directory({ 'vault.keychain': 'name\n', 'vault.key': `${A}\n` })
    here.held.set('name', `${B}\n`)
    const found = await here.found({ MCP_ENCRYPTION_KEY: C, JWT_SECRET: SECRET })
    expect(found.map(([source]) => source)).toEqual(['keychain', 'MCP_ENCRYPTION_KEY', 'JWT_SECRET', 'file vault.key'])
    expect(found[0]).toEqual(['keychain', B])
  })

  test('S2-ENC-02: comes from MCP_ENCRYPTION_KEY, then from those before it, then from JWT_SECRET', async () => {
    await using here = await directory({ 'vault.key': A })
    const found = await here.found({
      MCP_ENCRYPTION_KEY: C,
      MCP_ENCRYPTION_KEY_PREVIOUS: [B],
      JWT_SECRET: SECRET,
    })
    expect(found.map(([source]) => source)).toEqual([
      'MCP_ENCRYPTION_KEY',
      'MCP_ENCRYPTION_KEY_PREVIOUS',
      'JWT_SECRET',
      'file vault.key',
    ])
    expect(found.slice(0, 2).map(([, key]) => key)).toEqual([C, B])
  })

  test('S2-ENC-02: is derived of JWT_SECRET and is not its first bytes', async () => {
    await using here = await directory()
    const [derived] = await here.found({ JWT_SECRET: SECRET })
    expect(derived?.[0]).toBe('JWT_SECRET')
    expect(derived?.[1]).not.toBe(Buffer.from(SECRET).toString('hex', 0, 32))
    const [longer] = await here.found({ JWT_SECRET: `${SECRET}!` })
    expect(longer?.[1]).not.toBe(derived?.[1])
    expect((await here.found({ JWT_SECRET: SECRET }))[0]).toEqual(derived)
  })

  test('S2-ENC-02: comes from the files of the data directory, the ring first and that of another program last', async () => {
    await using here = await directory({ '.mcp-key': A, 'vault.key': B, 'vault.keys': `${C}\n${B}\n` })
    expect(await here.found()).toEqual([
      ['file vault.keys', C],
      ['file vault.keys', B],
      ['file .mcp-key', A],
    ])
  })

  test('S2-ENC-02: is a new random one in a file where there is none', async () => {
    await using here = await directory()
    expect(await here.found()).toEqual([])
    const made = await here.sources().makeFirst()
    expect(made.source).toBe('file vault.key')
    expect(await here.found()).toEqual([['file vault.key', made.root.toString('hex')]])
    expect(((await stat(join(here.path, 'vault.key'))).mode & 0o777).toString(8)).toBe('600')
  })

  test.each([
    ['vault.keys', `${'ab'.repeat(32)}\noops`],
    ['vault.keys', ''],
    ['vault.key', `${'ab'.repeat(32)}\n${'cd'.repeat(32)}`],
    ['.mcp-key', 'zz'.repeat(32)],
  ])('is refused when %s holds %j, without repeating it', async (file, text) => {
    await using here = await directory({ [file]: text })
    const failing = here.sources().find()
    await expect(failing).rejects.toThrow(`${file} does not contain 64 hex digits`)
    await expect(failing).rejects.not.toThrow(/abab|zzzz/)
  })
})

describe('a next key', () => {
  test('stands in front of the ring file, and the ones before it stay', async () => {
    await using here = await directory({ 'vault.key': A })
    const [first] = (await here.sources().find()).keys
    if (first === undefined) throw new Error('there is no key')
    const next = await here.sources().makeNext(first)
    const third = await here.sources().makeNext(next)
    expect((await here.found()).map(([, key]) => key)).toEqual([
      third.root.toString('hex'),
      next.root.toString('hex'),
      A,
    ])
    expect(((await stat(join(here.path, 'vault.keys'))).mode & 0o777).toString(8)).toBe('600')
    expect((await here.files()).toSorted()).toEqual(['vault.key', 'vault.keys'])
  })

  test.each([
    ['MCP_ENCRYPTION_KEY', { MCP_ENCRYPTION_KEY: A }, 'the old value as MCP_ENCRYPTION_KEY_PREVIOUS'],
    ['JWT_SECRET', { JWT_SECRET: SECRET }, 'give every gateway an MCP_ENCRYPTION_KEY'],
  ])('cannot be put into the environment beside %s: it says what to set', async (_, settings, words) => {
    await using here = await directory()
    const [first] = (await here.sources(settings).find()).keys
    if (first === undefined) throw new Error('there is no key')
    const failing = here.sources(settings).makeNext(first)
    await expect(failing).rejects.toThrow(NoPlaceForKey)
    await expect(failing).rejects.toThrow(words)
    expect(await here.files()).toEqual([])
  })

  test('that is dropped is gone from every file, and where only its owner can remove it that is told', async () => {
    await using here = await directory({ 'vault.keys': `${B}\n${A}\n`, 'vault.key': A })
    const settings = { MCP_ENCRYPTION_KEY_PREVIOUS: [A] }
    const old = (await here.sources().find()).keys.at(-1)
    expect(await here.sources(settings).drop(old?.id ?? '')).toEqual(['MCP_ENCRYPTION_KEY_PREVIOUS'])
    expect(await here.files()).toEqual(['vault.keys'])
    expect(await here.found()).toEqual([['file vault.keys', B]])
  })
})

describe('promotion into the keychain', () => {
  const ids = async (here: Awaited<ReturnType<typeof directory>>, settings: KeySettings = {}) =>
    (await here.sources(settings).find()).keys.map(({ id }) => id)

  test('S2-ENC-03: moves what files and the environment hold, and removes the files once it has read back', async () => {
    await using here = await directory({ 'vault.keys': `${B}\n${A}\n`, 'vault.key': A })
    const settings = { MCP_ENCRYPTION_KEY_PREVIOUS: [C] }
    expect(await here.sources(settings).promote(await ids(here, settings))).toBeUndefined()
    expect(await here.files()).toEqual(['vault.keychain'])
    const account = (await here.read('vault.keychain')).trim()
    expect(here.held.get(account)).toBe(`${C}\n${B}\n${A}\n`)
    expect((await here.found()).map(([source]) => source)).toEqual(['keychain', 'keychain', 'keychain'])
  })

  test('S2-ENC-03: leaves every file where the keychain refuses, forgets or garbles what it is given', async () => {
    for (const failure of ['read', 'write', 'forgets', 'garbles'] as const) {
      await using here = await directory({ 'vault.key': A })
      here.fails[failure] = true
      const problem = await here.sources().promote(await ids(here))
      expect(problem, failure).toMatch(failure === 'read' || failure === 'write' ? /AccessDenied/ : /does not return/)
      expect(await here.files(), failure).toEqual(['vault.key'])
      expect(await here.found(), failure).toEqual([['file vault.key', A]])
    }
  })

  test('goes on where a start was killed between putting the key in and removing the file', async () => {
    await using here = await directory({ 'vault.key': A, 'vault.keychain': 'name\n' })
    here.held.set('name', `${A}\n`)
    expect(await here.sources().promote(await ids(here))).toBeUndefined()
    expect(await here.files()).toEqual(['vault.keychain'])
    expect(await here.sources().promote(await ids(here))).toBeUndefined()
    expect(await here.found()).toEqual([['keychain', A]])
  })

  test('does not remove a file whose key the keychain lost since', async () => {
    await using here = await directory({ 'vault.key': A, 'vault.keychain': 'name\n' })
    here.fails.forgets = true
    expect(await here.sources().promote(await ids(here))).toMatch(/does not return/)
    expect(await here.found()).toEqual([['file vault.key', A]])
  })

  test('is told as a note where the keychain does not open any more', async () => {
    await using here = await directory({ 'vault.key': A })
    await here.sources().promote(await ids(here))
    here.fails.read = true
    expect(await here.sources().find()).toMatchObject({
      keys: [],
      notes: [expect.stringMatching(/^the keychain cannot be read \(.*AccessDenied\)$/)],
    })
    here.fails.read = false
    here.held.clear()
    expect((await here.sources().find()).notes[0]).toMatch(/^the keychain contains no key with the name [0-9a-f]{16}$/)
  })

  test('keeps the next key in the keychain too, beside the one before it', async () => {
    await using here = await directory({ 'vault.key': A })
    await here.sources().promote(await ids(here))
    const [first] = (await here.sources().find()).keys
    if (first === undefined) throw new Error('there is no key')
    const next = await here.sources().makeNext(first)
    expect(await here.found()).toEqual([
      ['keychain', next.root.toString('hex')],
      ['keychain', A],
    ])
    expect(await here.sources().drop(first.id)).toEqual([])
    expect(await here.found()).toEqual([['keychain', next.root.toString('hex')]])
    expect(await here.files()).toEqual(['vault.keychain'])
  })

  test('leaves the file of a directory that may not be written to', async () => {
    await using here = await directory({ 'vault.key': A })
    // A process that runs as root may write everywhere; the key then moves, which is fine as well.
    await chmod(here.path, 0o500)
    const problem = await here
      .sources()
      .promote(await ids(here))
      .catch((thrown: Error) => thrown.message)
    await chmod(here.path, 0o700)
    if (problem !== undefined) expect(await here.found()).toEqual([['file vault.key', A]])
    else expect(await here.found()).toEqual([['keychain', A]])
  })
})
