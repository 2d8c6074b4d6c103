import { describe, expect, test } from 'vitest'
import { completeZone, findZone, readClock, readInstant } from './zone.ts'

describe('a time zone', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['São Paulo', 'America/Sao_Paulo'],
    ['San Francisco', 'America/Los_Angeles'],
    ['utc', 'UTC'],
    ['+05:30', '+05:30'],
  ])('is found for %s', (name, zone) => {
    expect(findZone(name)).toBe(zone)
  })

  test('that does not exist is answered with names near it', () => {
    expect(() => findZone('Berl')).toThrow("Unknown time zone 'Berl'. Did you mean Europe/Berlin?")
    expect(() => findZone('constructor')).toThrow('Unknown time zone')
    expect(() => findZone('Atlantis')).toThrow('Use a name such as Europe/Berlin')
  })

  test('completes from the city or the region', () => {
    expect(completeZone('tok')[0]).toBe('Asia/Tokyo')
    expect(completeZone('Europe/L')).toContain('Europe/Lisbon')
    expect(completeZone('').length).toBeGreaterThan(100)
  })
})

test('a clock shows daylight saving and half hours', () => {
  expect(readClock('Europe/Berlin', new Date('2026-07-01T12:00:00Z'))).toEqual({
    zone: 'Europe/Berlin',
    local: '2026-07-01T14:00:00',
    weekday: 'Wednesday',
    offset: '+02:00',
  })
  expect(readClock('Europe/Berlin', new Date('2026-01-01T23:30:00Z'))).toMatchObject({
    local: '2026-01-02T00:30:00',
    offset: '+01:00',
  })
  expect(readClock('Asia/Kolkata', new Date('2026-01-01T00:00:00Z'))).toMatchObject({
    local: '2026-01-01T05:30:00',
    offset: '+05:30',
  })
  expect(readClock('UTC', new Date('2026-01-01T00:00:00Z'))).toMatchObject({
    local: '2026-01-01T00:00:00',
    offset: '+00:00',
  })
})

test('an instant needs its offset and must exist', () => {
  expect(readInstant('2026-03-01T09:00:00+01:00').toISOString()).toBe('2026-03-01T08:00:00.000Z')
  for (const text of ['2026-03-01T09:00:00', '2026-02-30T09:00:00Z', 'now'])
    expect(() => readInstant(text)).toThrow('is not an instant')
})
