import { createHash } from 'node:crypto'
import { Fault, type KeyId, type OrganizationId } from '@toolway/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DatabaseUnreachable } from '../db/unreachable.ts'
import { createIdentity, type Principal } from './identify.ts'
import { OPERATOR } from './principal.ts'
import { mintKey, type KeyRow } from './keys/keys.ts'

const hash = (key: string) => createHash('sha256').update(key).digest()

const rowOf = (name: string, more: Partial<KeyRow> = {}): KeyRow => ({
  id: `key_${name}` as KeyId,
  organization_id: 'org_1' as OrganizationId,
  user_id: null,
  role: 'tenant_member',
  effect_limit: 'execute',
  family: 'uru',
  trusted: false,
  trusted_by: null,
  name,
  hint: 'abcd',
  prefix: null,
  toolset: null,
  origin: 'test',
  created_at: new Date(0),
  expires_at: null,
  last_used_at: null,
  ...more,
})

const NO_TOKENS = { readToken: () => Promise.reject(new Fault('token.unknown')), stands: () => false }

/** An identity over keys in a map, which counts how often it is asked. */
function fixture({ open = false } = {}) {
  const rows = new Map<string, KeyRow>()
  const asked: string[] = []
  /** Since when the database does not answer. */
  const database: { awaySince: number | undefined } = { awaySince: undefined }
  let held: Promise<void> | undefined
  const identity = createIdentity({
    ...NO_TOKENS,
    hash,
    open,
    outage: {
      awayFor: () => (database.awaySince === undefined ? 0 : Date.now() - database.awaySince + 1),
      grace: 15 * 60_000,
      isAway: (thrown) => thrown instanceof DatabaseUnreachable,
    },
    async find(digest) {
      const name = digest.toString('hex')
      asked.push(name)
      await held
      if (database.awaySince !== undefined) throw new DatabaseUnreachable('nothing', new Error('away'))
      return rows.get(name)
    },
  })
  const add = (more: Partial<KeyRow> = {}) => {
    const key = mintKey()
    rows.set(hash(key).toString('hex'), rowOf(key.slice(-8), more))
    return key
  }
  /** From now on lookups take until the returned function is called. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    return () => {
      held = undefined
      resolve()
    }
  }
  return { identity, rows, asked, add, hold, database }
}

const refusal = async (ask: () => Principal | Promise<Principal>): Promise<string> => {
  try {
    await ask()
  } catch (thrown) {
    const fault = Fault.of(thrown)
    if (fault.code === 'internal') throw fault.cause
    expect(fault.row.http).toBe(401)
    return fault.code
  }
  throw new Error('it was let in')
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  // The memory holds on to the real clock object, so that one is told what the faked date says.
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a key', () => {
  test('says who calls: its own row, its organization, and the toolset it is limited to', async () => {
    const { identity, add } = fixture()
    const [plain, narrow] = [add(), add({ toolset: 'work', organization_id: 'org_2' as OrganizationId })]
    expect(await identity.identify(`Bearer ${plain}`)).toMatchObject({
      id: `key_${plain.slice(-8)}`,
      organizationId: 'org_1',
      toolset: undefined,
    })
    expect(await identity.identify(`Bearer ${narrow}`)).toMatchObject({
      keyId: `key_${narrow.slice(-8)}`,
      organizationId: 'org_2',
      toolset: 'work',
    })
  })

  test.each(['Bearer', 'bearer', 'BEARER'])('is taken after %s, with space around it', async (scheme) => {
    const { identity, add } = fixture()
    expect(await identity.identify(`${scheme}  ${add()} `)).toMatchObject({ organizationId: 'org_1' })
  })

  test.each([undefined, '', 'Bearer', 'Basic dXJ1Xw==', 'Token x', `uru_${'0'.repeat(64)}`, ' Bearer x'])(
    'is missing in %j',
    async (authorization) => {
      const { identity, asked } = fixture()
      expect(await refusal(() => identity.identify(authorization))).toBe('key.missing')
      expect(asked).toEqual([])
    },
  )

  test.each([
    ['empty', ''],
    ['another form', 'sk-1234'],
    ['too short', `uru_${'a'.repeat(63)}`],
    ['too long', `uru_${'a'.repeat(65)}`],
    ['in capitals', `uru_${'A'.repeat(64)}`],
    ['one of two', `uru_${'a'.repeat(64)} uru_${'a'.repeat(64)}`],
    ['followed by a line feed and more', `uru_${'a'.repeat(64)}\nx`],
  ])('that is %s is refused without asking the database', async (_, key) => {
    const { identity, asked } = fixture()
    expect(await refusal(() => identity.identify(`Bearer ${key}`))).toBe('key.unknown')
    expect(asked).toEqual([])
  })

  test('that is not known is refused like any other', async () => {
    const { identity } = fixture()
    expect(await refusal(() => identity.identify(`Bearer ${mintKey()}`))).toBe('key.unknown')
  })
})

describe('the memory of keys', () => {
  test('answers at once after the first time, without a query', async () => {
    const { identity, asked, add } = fixture()
    const key = add()
    const first = await identity.identify(`Bearer ${key}`)
    const second = identity.identify(`Bearer ${key}`)
    expect(second).not.toBeInstanceOf(Promise)
    expect(second).toEqual(first)
    expect(asked).toHaveLength(1)
  })

  test('makes one query of many requests that come at once, and refuses them all alike', async () => {
    const { identity, asked, add } = fixture()
    const [key, stranger] = [add(), mintKey()]
    await Promise.all(Array.from({ length: 100 }, async () => identity.identify(`Bearer ${key}`)))
    const refused = await Promise.all(
      Array.from({ length: 100 }, () => refusal(() => identity.identify(`Bearer ${stranger}`))),
    )
    expect(new Set(refused)).toEqual(new Set(['key.unknown']))
    expect(asked).toHaveLength(2)
  })

  test('never takes one key for another, not even where they differ in their last characters only', async () => {
    const { identity, add } = fixture()
    const keys = Array.from({ length: 50 }, () => add())
    for (let round = 0; round < 2; round++) {
      for (const key of keys) expect((await identity.identify(`Bearer ${key}`)).id).toBe(`key_${key.slice(-8)}`)
    }
    const alike = add()
    expect((await identity.identify(`Bearer ${alike}`)).id).toBe(`key_${alike.slice(-8)}`)
    const other = `${alike.slice(0, -1)}${alike.endsWith('0') ? '1' : '0'}`
    expect(await refusal(() => identity.identify(`Bearer ${other}`))).toBe('key.unknown')
  })

  test('forgets after half a minute, so that a removed key ends even if no signal came', async () => {
    const { identity, rows, add } = fixture()
    const key = add()
    await identity.identify(`Bearer ${key}`)
    rows.clear()
    vi.advanceTimersByTime(29_000)
    expect(await identity.identify(`Bearer ${key}`)).toBeDefined()
    vi.advanceTimersByTime(2_000)
    expect(await refusal(() => identity.identify(`Bearer ${key}`))).toBe('key.unknown')
  })

  test('forgets at once when it is told to', async () => {
    const { identity, rows, asked, add } = fixture()
    const key = add()
    await identity.identify(`Bearer ${key}`)
    rows.clear()
    identity.forget()
    expect(await refusal(() => identity.identify(`Bearer ${key}`))).toBe('key.unknown')
    expect(asked).toHaveLength(2)
  })

  test('remembers a stranger for a moment only: a guess is one query, and a key that is added works soon', async () => {
    const { identity, rows, asked } = fixture()
    const key = mintKey()
    for (let guess = 0; guess < 20; guess++)
      expect(await refusal(() => identity.identify(`Bearer ${key}`))).toBe('key.unknown')
    expect(asked).toHaveLength(1)
    rows.set(hash(key).toString('hex'), rowOf('late'))
    vi.advanceTimersByTime(2_100)
    expect((await identity.identify(`Bearer ${key}`)).id).toBe('key_late')
  })

  test('keeps no answer that was asked for before a change and came after it', async () => {
    const answers: ((row: KeyRow | undefined) => void)[] = []
    const identity = createIdentity({
      ...NO_TOKENS,
      hash,
      open: false,
      find: () => new Promise((resolve) => void answers.push(resolve)),
    })
    const key = `Bearer ${mintKey()}`
    const early = identity.identify(key)
    identity.forget()
    const late = identity.identify(key)
    answers[1]?.(undefined)
    expect(await refusal(() => late)).toBe('key.unknown')
    answers[0]?.(rowOf('removed'))
    expect((await early).id).toBe('key_removed')
    expect(await refusal(() => identity.identify(key))).toBe('key.unknown')
  })

  test('keeps no failure: the next request asks again', async () => {
    let there = false
    const identity = createIdentity({
      ...NO_TOKENS,
      hash,
      open: false,
      find: () => (there ? Promise.resolve(rowOf('a')) : Promise.reject(new Error('database gone'))),
    })
    const key = `Bearer ${mintKey()}`
    await expect(identity.identify(key)).rejects.toThrow('database gone')
    there = true
    expect((await identity.identify(key)).id).toBe('key_a')
  })
})

describe('many guesses at once', () => {
  test('are looked up four at a time, wait for their turn, and hold up nobody who is known', async () => {
    const { identity, asked, add, hold } = fixture()
    const known = `Bearer ${add()}`
    await identity.identify(known)
    const release = hold()
    const guesses = Array.from({ length: 20 }, () => refusal(() => identity.identify(`Bearer ${mintKey()}`)))
    const keys = Array.from({ length: 60 }, () => Promise.resolve(identity.identify(`Bearer ${add()}`)))
    expect(identity.identify(known)).toMatchObject({ organizationId: 'org_1' })
    expect(asked).toHaveLength(5)
    release()
    expect(new Set(await Promise.all(guesses))).toEqual(new Set(['key.unknown']))
    expect(await Promise.all(keys)).toHaveLength(60)
  })

  test('are told to come again within two seconds when their turn does not come', async () => {
    const { identity, hold } = fixture()
    const release = hold()
    const guesses = Array.from({ length: 20 }, () =>
      Promise.resolve(identity.identify(`Bearer ${mintKey()}`)).catch((thrown: unknown) => Fault.of(thrown).code),
    )
    await vi.advanceTimersByTimeAsync(2_000)
    release()
    const told = (await Promise.all(guesses)).map(String).toSorted()
    expect(told).toEqual([...Array<string>(16).fill('gateway.not-ready'), ...Array<string>(4).fill('key.unknown')])
  })

  test('take nobody’s turn who was known before: after a change, a good key is looked up beside them', async () => {
    const { identity, add, hold } = fixture()
    const good = add()
    await identity.identify(`Bearer ${good}`)
    identity.forget()
    const release = hold()
    const guesses = Array.from({ length: 4 }, () => Promise.resolve(identity.identify(`Bearer ${mintKey()}`)))
    const asked = Promise.resolve(identity.identify(`Bearer ${good}`))
    release()
    await expect(asked).resolves.toMatchObject({ toolset: undefined })
    const ends = await Promise.allSettled(guesses)
    expect(ends.map(({ status }) => status)).toEqual(guesses.map(() => 'rejected'))
  })

  test('push nobody who is known out of memory', async () => {
    const { identity, asked, add } = fixture()
    const known = `Bearer ${add()}`
    await identity.identify(known)
    for (let at = 0; at < 10_001; at++) await refusal(() => identity.identify(`Bearer ${mintKey()}`))
    const before = asked.length
    expect(identity.identify(known)).toMatchObject({ organizationId: 'org_1' })
    expect(asked).toHaveLength(before)
  })
})

describe('while the database is away', () => {
  test('a key that was good goes on working for the time that is set, and no longer', async () => {
    const { identity, add, asked, database } = fixture()
    const key = `Bearer ${add()}`
    await identity.identify(key)
    vi.advanceTimersByTime(24 * 60 * 60_000)
    database.awaySince = Date.now()
    for (let minute = 0; minute < 15; minute++) {
      expect(await identity.identify(key)).toMatchObject({ organizationId: 'org_1' })
      await vi.advanceTimersByTimeAsync(59_000)
    }
    vi.advanceTimersByTime(15_000)
    await expect(Promise.resolve(identity.identify(key))).rejects.toMatchObject({ code: 'database.unavailable' })
    expect(asked.length).toBeGreaterThan(10)
    database.awaySince = undefined
    expect(await identity.identify(key)).toMatchObject({ organizationId: 'org_1' })
  })

  test('only its first request waits for the database; it is looked up again behind the back of the others', async () => {
    const { identity, add, database } = fixture()
    const key = `Bearer ${add()}`
    await identity.identify(key)
    vi.advanceTimersByTime(31_000)
    database.awaySince = Date.now()
    expect(identity.identify(key)).toBeInstanceOf(Promise)
    await vi.advanceTimersByTimeAsync(0)
    expect(identity.identify(key)).toMatchObject({ organizationId: 'org_1' })
    vi.advanceTimersByTime(6_000)
    expect(identity.identify(key)).toMatchObject({ organizationId: 'org_1' })
  })

  test('a key that was removed before it went is refused at once', async () => {
    const { identity, add, database } = fixture()
    const [removed, other] = [add(), add()]
    for (const key of [removed, other]) await identity.identify(`Bearer ${key}`)
    identity.forget(`key_${removed.slice(-8)}` as KeyId)
    database.awaySince = Date.now()
    await expect(Promise.resolve(identity.identify(`Bearer ${removed}`))).rejects.toMatchObject({
      code: 'database.unavailable',
    })
    expect(await identity.identify(`Bearer ${other}`)).toMatchObject({ organizationId: 'org_1' })
  })

  test('a key that is found to be gone when the database is back is refused, though memory had it', async () => {
    const { identity, rows, add, database } = fixture()
    const key = `Bearer ${add()}`
    await identity.identify(key)
    vi.advanceTimersByTime(31_000)
    database.awaySince = Date.now()
    await identity.identify(key)
    rows.clear()
    database.awaySince = undefined
    vi.advanceTimersByTime(6_000)
    await identity.identify(key)
    await vi.advanceTimersByTimeAsync(0)
    expect(await refusal(() => identity.identify(key))).toBe('key.unknown')
  })

  test('an unknown key is refused in words', async () => {
    const { identity, database } = fixture()
    database.awaySince = Date.now()
    await expect(Promise.resolve(identity.identify(`Bearer ${mintKey()}`))).rejects.toMatchObject({
      code: 'database.unavailable',
    })
  })
})

describe('what may wait for nothing', () => {
  test('recalls a key that was good without waiting, confirms it behind the answer, and knows no stranger', async () => {
    const { identity, add, asked, hold, rows } = fixture()
    const key = `Bearer ${add()}`
    expect(identity.recall(key)).toBeUndefined()
    expect(asked).toHaveLength(0)
    await identity.identify(key)
    vi.advanceTimersByTime(60_000)
    const release = hold()
    expect(identity.recall(key)).toMatchObject({ organizationId: 'org_1' })
    expect(asked).toHaveLength(2)
    rows.clear()
    release()
    await vi.advanceTimersByTimeAsync(0)
    // It was looked up meanwhile, and is gone.
    expect(identity.recall(key)).toBeUndefined()
  })

  test('recalls no key whose change may have been missed, unless nobody can be asked, and none after the time of memory', async () => {
    const { identity, add, database } = fixture()
    const key = `Bearer ${add()}`
    await identity.identify(key)
    identity.forget()
    expect(identity.recall(key)).toBeUndefined()
    database.awaySince = Date.now()
    expect(identity.recall(key)).toMatchObject({ organizationId: 'org_1' })
    vi.advanceTimersByTime(16 * 60_000)
    expect(identity.recall(key)).toBeUndefined()
  })

  test('recalls no key that has expired or was removed', async () => {
    const { identity, add } = fixture()
    const [brief, removed] = [`Bearer ${add({ expires_at: new Date(Date.now() + 5_000) })}`, `Bearer ${add()}`]
    await identity.identify(brief)
    const { keyId } = await identity.identify(removed)
    identity.forget(keyId)
    vi.advanceTimersByTime(6_000)
    expect(() => identity.recall(brief)).toThrow()
    expect(identity.recall(removed)).toBeUndefined()
  })
})

describe('a key that expires', () => {
  test('is refused from that moment on, in memory too', async () => {
    const { identity, asked, add } = fixture()
    const key = add({ expires_at: new Date(Date.now() + 10_000) })
    expect(await identity.identify(`Bearer ${key}`)).toBeDefined()
    vi.advanceTimersByTime(9_999)
    expect(identity.identify(`Bearer ${key}`)).toBeDefined()
    vi.advanceTimersByTime(1)
    expect(await refusal(() => identity.identify(`Bearer ${key}`))).toBe('key.unknown')
    expect(asked).toHaveLength(1)
  })
})

describe('an open gateway', () => {
  test('takes who comes without a key for the operator, of no organization', () => {
    const { identity } = fixture({ open: true })
    expect(identity.identify(undefined)).toEqual(OPERATOR)
    expect(OPERATOR.organizationId).toBeUndefined()
  })

  test('still checks a key that is given', async () => {
    const { identity, add } = fixture({ open: true })
    expect(await identity.identify(`Bearer ${add()}`)).toMatchObject({ organizationId: 'org_1' })
    expect(await refusal(() => identity.identify(`Bearer ${mintKey()}`))).toBe('key.unknown')
    expect(await refusal(() => identity.identify('Basic x'))).toBe('key.missing')
  })
})
