import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFileSource, createVariableSource } from './local-sources.ts'
import { createSecretReferences } from './references.ts'
import { referencesIn, SecretGone, type SecretSource } from './secret-source.ts'

/** A place whose secrets may change and which may be away. */
function place(values: Record<string, string>) {
  const state = { away: false, reads: 0 }
  const source: SecretSource = {
    read(organization, { path }) {
      state.reads++
      if (state.away) return Promise.reject(new Error('ECONNREFUSED'))
      const value = values[`${organization}/${path}`]
      return value === undefined ? Promise.reject(new SecretGone('there is no such secret')) : Promise.resolve(value)
    },
  }
  return { source, state, values }
}

function house(source: SecretSource) {
  const changed: string[] = []
  const clock = { now: 0 }
  const references = createSecretReferences({
    sources: { vault: source },
    onChange: (organization) => changed.push(organization),
    log: { warn() {} },
    now: () => clock.now,
  })
  return { references, changed, clock, [Symbol.dispose]: () => references.close() }
}

describe('references to secrets', () => {
  test('are replaced by values of the own organization alone, within a text too', async () => {
    const { source } = place({ 'acme/token': 'of-acme' })
    using here = house(source)
    expect(await here.references.resolve('acme', 'Bearer secret://vault/token')).toBe('Bearer of-acme')
    await expect(here.references.resolve('other', 'secret://vault/token')).rejects.toThrow('there is no such secret')
    await expect(here.references.resolve('acme', 'secret://aws/token')).rejects.toThrow('no store for secret://aws')
    await expect(here.references.resolve('acme', 'secret://valt/token')).rejects.toThrow('a reference has the form')
    await expect(here.references.resolve('acme', 'secret://vault/../token')).rejects.toThrow('a reference has the form')
    expect(await here.references.resolve('acme', 'plain')).toBe('plain')
  })

  test('go on with the last value while the place is away, and tell when a value changed', async () => {
    const { source, state, values } = place({ 'acme/token': 'one' })
    using here = house(source)
    await here.references.resolve('acme', 'secret://vault/token')
    const stamp = here.references.stamp('acme', ['secret://vault/token'])
    state.away = true
    here.clock.now = 61_000
    await here.references.renew()
    expect(here.references.current('acme', 'secret://vault/token')).toBe('one')
    expect(here.changed).toEqual([])
    state.away = false
    values['acme/token'] = 'two'
    here.clock.now = 122_000
    await here.references.renew()
    expect(here.references.current('acme', 'secret://vault/token')).toBe('two')
    expect(here.changed).toEqual(['acme'])
    expect(here.references.stamp('acme', ['secret://vault/token'])).not.toBe(stamp)
  })

  test('are used no more once their place says twice that they are gone, and the connections are told', async () => {
    const { source, state, values } = place({ 'acme/token': 'one' })
    using here = house(source)
    await here.references.resolve('acme', 'secret://vault/token')
    delete values['acme/token']
    here.clock.now = 61_000
    await here.references.renew()
    expect(here.references.current('acme', 'secret://vault/token')).toBe('one')
    here.clock.now = 67_000
    await here.references.renew()
    expect(() => here.references.current('acme', 'secret://vault/token')).toThrow('there is no such secret')
    expect(here.changed).toEqual(['acme'])
    // Being away is no answer.
    values['acme/token'] = 'two'
    state.away = true
    here.clock.now = 200_000
    await here.references.renew()
    state.away = false
    here.clock.now = 300_000
    await here.references.renew()
    expect(here.references.current('acme', 'secret://vault/token')).toBe('two')
  })

  test('that cannot be read are tried again less and less often, and told when they can', async () => {
    const { source, state, values } = place({})
    using here = house(source)
    await expect(here.references.resolve('acme', 'secret://vault/token')).rejects.toThrow('there is no such secret')
    for (const seconds of [5, 15, 35, 75]) {
      here.clock.now = seconds * 1_000 - 1
      await here.references.renew()
      here.clock.now = seconds * 1_000
      await here.references.renew()
    }
    expect(state.reads).toBe(5)
    values['acme/token'] = 'there'
    here.clock.now = 135_000
    await here.references.renew()
    expect(here.changed).toEqual(['acme'])
    expect(here.references.current('acme', 'secret://vault/token')).toBe('there')
  })

  test('of files stay in the folder of the organization, through links too', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolway-secrets-'))
    await mkdir(join(root, 'acme'))
    await mkdir(join(root, 'other'))
    await writeFile(join(root, 'acme', 'token'), 'of-acme\n')
    await writeFile(join(root, 'acme', 'account'), '{"key":"member"}')
    await writeFile(join(root, 'other', 'token'), 'of-other')
    await symlink(join(root, 'other', 'token'), join(root, 'acme', 'link'))
    const source = createFileSource(join(root, '{organization}'))
    const read = (words: string) => {
      const [reference] = referencesIn(words).values()
      return source.read('acme', reference ?? { source: 'file', path: words, field: undefined })
    }
    expect(await read('secret://file/token')).toBe('of-acme')
    expect(await read('secret://file/account#key')).toBe('member')
    await expect(read('secret://file/link')).rejects.toThrow('not in the folder of the organization')
    await expect(read('../other/token')).rejects.toThrow('not in the folder of the organization')
    await expect(read('secret://file/none')).rejects.toThrow('ENOENT')
    await expect(read('secret://file/account#none')).rejects.toThrow('no string named none')
    await rm(root, { recursive: true })
  })

  test('of variables cannot reach those of an organization with a longer name', async () => {
    const variables: Record<string, string> = {
      ...{ SECRET_A_B__TOKEN: 'of-a-b', SECRET_A__TOKEN: 'of-a' },
      SECRET_A___TOKEN: 'of an organization whose name ends with a hyphen',
    }
    const source = createVariableSource('SECRET_{organization}__', (name) => variables[name])
    const read = (organization: string, path: string) =>
      source.read(organization, { source: 'env', path, field: undefined })
    expect(await read('a', 'TOKEN')).toBe('of-a')
    expect(await read('a-b', 'TOKEN')).toBe('of-a-b')
    await expect(read('a', 'B__TOKEN')).rejects.toThrow('single underscores')
    await expect(read('a', '_TOKEN')).rejects.toThrow('must not begin with an underscore')
    await expect(read('a--b', 'TOKEN')).rejects.toThrow('single underscores')
    await expect(read('a', 'NONE')).rejects.toThrow('SECRET_A__NONE is not set')
  })
})
