import { describe, expect, test } from 'vitest'
import { signalGroup } from './group.ts'

describe('a signal to a group', () => {
  test.each([0, 1, -5, 1.5, Number.NaN])('is never sent to %s, which would mean ourselves or everybody', (group) => {
    expect(() => signalGroup(group, 0)).toThrow(RangeError)
  })

  test('says when there is nobody', () => {
    expect(signalGroup(2 ** 22 + 1, 0)).toBe(false) // above the largest process id of Linux and macOS
  })
})
