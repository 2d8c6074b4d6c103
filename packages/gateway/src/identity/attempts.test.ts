import { describe, expect, test } from 'vitest'
import { createAttempts, networkOf } from './attempts.ts'

function fixture() {
  let time = 0
  const attempts = createAttempts({ now: () => time })
  const fail = (account: string, address: string, times: number) => {
    for (let at = 0; at < times; at++) attempts.begin(account, address)
  }
  return { attempts, fail, pass: (milliseconds: number) => (time += milliseconds) }
}

const limited = { code: 'login.limit' }

describe('sign-ins that fail', () => {
  test('are stopped for an account and an address after eight, and tried again a quarter of an hour later', () => {
    const { attempts, fail, pass } = fixture()
    fail('ada', '10.0.0.1', 8)
    expect(() => attempts.begin('ada', '10.0.0.1')).toThrow(expect.objectContaining(limited))
    attempts.begin('ada', '10.0.0.2')
    attempts.begin('bob', '10.0.0.1')
    pass(15 * 60_000)
    attempts.begin('ada', '10.0.0.1')
  })

  test('say how long to wait', () => {
    const { attempts, fail, pass } = fixture()
    fail('ada', '10.0.0.1', 8)
    pass(5 * 60_000)
    expect(() => attempts.begin('ada', '10.0.0.1')).toThrow(expect.objectContaining({ facts: { seconds: 600 } }))
  })

  test('are counted for one address over all accounts, a network of version 6 being one address', () => {
    const { attempts } = fixture()
    for (let at = 0; at < 60; at++) attempts.begin(`user${at}`, `2001:db8:1:2::${at}`)
    expect(() => attempts.begin('somebody', '2001:db8:1:2:ffff::1')).toThrow(expect.objectContaining(limited))
    attempts.begin('somebody', '2001:db8:1:3::1')
    expect(networkOf('::ffff:10.0.0.1')).not.toBe(networkOf('::ffff:10.0.0.2'))
  })

  test('are counted for one account over all addresses', () => {
    const { attempts } = fixture()
    for (let at = 0; at < 60; at++) attempts.begin('ada', `10.0.1.${at}`)
    expect(() => attempts.begin('ada', '10.0.2.1')).toThrow(expect.objectContaining(limited))
  })

  test('with what everybody shares are counted for each address alone, so that strangers keep nobody out', () => {
    const { attempts } = fixture()
    for (let at = 0; at < 200; at++) attempts.beginShared('password code', `10.0.1.${at}`)
    attempts.beginShared('password code', '10.0.2.1')
    for (let at = 0; at < 7; at++) attempts.beginShared('password code', '10.0.2.1')
    expect(() => attempts.beginShared('password code', '10.0.2.1')).toThrow(expect.objectContaining(limited))
  })

  test('do not count when they were good, however often that is said', () => {
    const { attempts, fail } = fixture()
    for (let at = 0; at < 50; at++) {
      const good = attempts.begin('ada', '10.0.0.1')
      good()
      good()
    }
    fail('ada', '10.0.0.1', 8)
    expect(() => attempts.begin('ada', '10.0.0.1')).toThrow(expect.objectContaining(limited))
  })
})
