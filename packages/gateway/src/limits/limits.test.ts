import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { createLimits, type LimitRates } from './limits.ts'

const OFF: LimitRates = { address: 0, organization: 0, administration: 0, key: 0, connection: 0 }

function fixture(rates: Partial<LimitRates>) {
  const time = { now: 0 }
  const refused: string[] = []
  const limits = createLimits({
    rates: { ...OFF, ...rates },
    now: () => time.now,
    onRefuse: (bucket) => void refused.push(bucket),
  })
  return { time, refused, limits }
}

function faultOf(work: () => unknown): Fault | undefined {
  try {
    work()
    return undefined
  } catch (thrown) {
    return Fault.of(thrown)
  }
}

describe('limits', () => {
  test('say which bucket is empty, how much it holds and how long to wait', () => {
    const { limits, refused } = fixture({ organization: 3 })
    for (let n = 0; n < 3; n++) expect(limits.request('key', 'acme', undefined)).toBeUndefined()
    const fault = faultOf(() => limits.request('key', 'acme', undefined))
    expect(fault).toMatchObject({ code: 'limit.organization', facts: { limit: 3, seconds: 20 } })
    expect(fault?.row).toMatchObject({ http: 429, word: 'RATE_LIMITED', retry: true })
    expect(limits.request('key', 'other', undefined)).toBeUndefined()
    expect(refused).toEqual(['organization'])
  })

  test('of rules hold as many calls as they say in the time that they say, and give back what another refused', () => {
    const { limits, refused, time } = fixture({})
    const wide = { name: 'acme wide key_1', calls: 3, seconds: 86_400, reason: 'Slowly' }
    const narrow = { name: 'acme narrow key_1', calls: 1, seconds: 10, reason: 'One at a time' }
    expect(limits.rules([])).toBeUndefined()
    expect(limits.rules([narrow])).toBeUndefined()
    expect(faultOf(() => limits.rules([narrow]))).toMatchObject({
      code: 'limit.rule',
      facts: { limit: 1, period: 10, seconds: 10, reason: 'One at a time' },
    })
    expect(limits.rules([{ ...narrow, name: 'acme narrow key_2' }])).toBeUndefined()
    for (let n = 0; n < 3; n++) expect(limits.rules([wide])).toBeUndefined()
    expect(faultOf(() => limits.rules([wide]))).toMatchObject({ facts: { limit: 3, seconds: 28_800 } })
    time.now += 10_000
    expect(limits.rules([narrow])).toBeUndefined()
    time.now += 28_800_000
    expect(limits.rules([wide])).toBeUndefined()
    expect(refused).toEqual(['rule', 'rule'])
  })

  test('of two rules take from both or from neither', async () => {
    const { limits, time } = fixture({})
    const wide = { name: 'wide', calls: 2, seconds: 3_600, reason: 'x' }
    const narrow = { name: 'narrow', calls: 1, seconds: 60, reason: 'x' }
    await limits.rules([wide, narrow])
    for (let n = 0; n < 5; n++)
      await expect(limits.rules([wide, narrow])).rejects.toMatchObject({ facts: { limit: 1, period: 60 } })
    time.now += 60_000
    await limits.rules([wide, narrow])
  })

  test('that are off refuse nobody', () => {
    const { limits } = fixture({})
    for (let n = 0; n < 5_000; n++) {
      void limits.address('192.0.2.1')
      void limits.request('key', 'acme', undefined)
      void limits.administer('key', 'acme')
      void limits.connection('con', 'docs')
      void limits.unknown()
    }
  })

  test('an organization that has settled its own number goes by that', () => {
    const { limits } = fixture({ organization: 1 })
    for (let n = 0; n < 2; n++) void limits.request('key', 'acme', 2)
    expect(faultOf(() => limits.request('key', 'acme', 2))).toMatchObject({ facts: { limit: 2 } })
    const { limits: off } = fixture({})
    void off.request('key', 'acme', 1)
    expect(faultOf(() => off.request('key', 'acme', 1))).toMatchObject({ code: 'limit.organization' })
  })

  test('a key that has used its own takes nothing from its organization', () => {
    const { limits } = fixture({ key: 1, organization: 2 })
    void limits.request('a', 'acme', undefined)
    for (let n = 0; n < 10; n++) {
      expect(faultOf(() => limits.request('a', 'acme', undefined))).toMatchObject({ code: 'limit.key' })
    }
    expect(limits.request('b', 'acme', undefined)).toBeUndefined()
  })

  test('nor does a request that the organization refuses cost the key anything', () => {
    const { limits, time } = fixture({ key: 2, organization: 1 })
    void limits.request('a', 'acme', undefined)
    for (let n = 0; n < 10; n++) {
      expect(faultOf(() => limits.request('a', 'acme', undefined))).toMatchObject({ code: 'limit.organization' })
    }
    time.now += 60_000
    expect(limits.request('a', 'acme', undefined)).toBeUndefined()
  })

  test('whoever must stop a flood of calls has room left for it', () => {
    const { limits } = fixture({ organization: 1, administration: 1 })
    void limits.request('agent', 'acme', undefined)
    expect(faultOf(() => limits.request('agent', 'acme', undefined))).toBeDefined()
    expect(limits.administer('admin', 'acme')).toBeUndefined()
    expect(faultOf(() => limits.administer('admin', 'acme'))).toMatchObject({ code: 'limit.administration' })
  })

  test('a token of SCIM has room of its own and leaves its address to others', () => {
    const { limits } = fixture({ address: 2, administration: 5 })
    for (let n = 0; n < 5; n++) {
      expect(limits.address('192.0.2.1')).toBeUndefined()
      expect(limits.provision('sct_1', '192.0.2.1')).toBeUndefined()
    }
    void limits.address('192.0.2.1')
    expect(faultOf(() => limits.provision('sct_1', '192.0.2.1'))).toMatchObject({ code: 'limit.administration' })
    // The other token at the same address, and the administration, have all of theirs.
    void limits.address('192.0.2.1')
    expect(limits.provision('sct_2', '192.0.2.1')).toBeUndefined()
    expect(limits.administer('admin', 'acme')).toBeUndefined()
    // A refused request counts for the address.
    void limits.address('192.0.2.1')
    expect(faultOf(() => limits.address('192.0.2.1'))).toMatchObject({ code: 'limit.address' })
  })

  test('S3-RATE-04: all endpoints that do not exist are one bucket', () => {
    const { limits } = fixture({ organization: 2 })
    void limits.unknown()
    void limits.unknown()
    expect(faultOf(() => limits.unknown())).toMatchObject({ code: 'limit.unknown' })
  })

  test('a sign-in may count for more than one, and never for more than there is', () => {
    const { limits } = fixture({ address: 5 })
    expect(limits.address('192.0.2.1', 9)).toBeUndefined()
    expect(faultOf(() => limits.address('192.0.2.1'))).toMatchObject({ code: 'limit.address', facts: { seconds: 12 } })
  })

  test('name the connection whose bucket is empty', () => {
    const { limits } = fixture({ connection: 1 })
    void limits.connection('con_1', 'docs')
    const fault = faultOf(() => limits.connection('con_1', 'docs'))
    expect(fault?.message).toBe('The connection docs has reached its limit of 1 requests per minute.')
  })
})
