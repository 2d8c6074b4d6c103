import { describe, expect, test } from 'vitest'
import {
  eraOf,
  isLegacyRevision,
  isRevision,
  MODERN,
  negotiate,
  NEWEST_LEGACY,
  REVISIONS,
  takesBatches,
  UNSTATED,
} from './era.ts'

describe('revisions', () => {
  test('stand in the order of their dates, which is the order of their texts', () => {
    expect([...REVISIONS].sort()).toEqual(REVISIONS)
    expect(REVISIONS.at(-1)).toBe(MODERN)
    expect(REVISIONS.at(-2)).toBe(NEWEST_LEGACY)
  })

  test('fall into two eras, and only the newest is modern', () => {
    expect(REVISIONS.map(eraOf)).toEqual(['legacy', 'legacy', 'legacy', 'legacy', 'modern'])
    expect(REVISIONS.map(isLegacyRevision)).toEqual([true, true, true, true, false])
  })

  test('are known by their exact text alone', () => {
    for (const odd of [
      '',
      '2025-6-18',
      ' 2025-06-18',
      '2025-06-18 ',
      '2025-06-19',
      'DRAFT-2026-v1',
      undefined,
      null,
      20250618,
      ['2025-06-18'],
    ]) {
      expect(isRevision(odd)).toBe(false)
      expect(isLegacyRevision(odd)).toBe(false)
    }
  })

  test('are taken to be 2025-03-26 where a request names none', () => {
    expect(UNSTATED).toBe('2025-03-26')
  })
})

describe('initialize is answered', () => {
  test.each(REVISIONS.filter(isLegacyRevision))('with %s to who asks for it', (revision) => {
    expect(negotiate(revision)).toBe(revision)
  })

  test.each([
    ['an unknown date', '2025-05-01', '2025-03-26'],
    ['the day before a revision', '2025-06-17', '2025-03-26'],
    ['the day after a revision', '2025-06-19', '2025-06-18'],
    ['the modern revision, which has no initialize', '2026-07-28', '2025-11-25'],
    ['a date to come', '2030-01-01', '2025-11-25'],
    ['a date before all of them', '2024-10-07', '2025-11-25'],
    ['a word', 'latest', '2025-11-25'],
    ['a number like 1.0', '1.0', '2025-11-25'],
    ['nothing', '', '2025-11-25'],
  ])('to %s (%j) with %s', (_, asked, answer) => {
    expect(negotiate(asked)).toBe(answer)
  })
})

test('batches are taken before 2025-11-25 and refused from it on', () => {
  expect(REVISIONS.map(takesBatches)).toEqual([true, true, true, false, false])
})
