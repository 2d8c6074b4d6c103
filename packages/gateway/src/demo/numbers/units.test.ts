import { describe, expect, test } from 'vitest'
import { convertUnits } from './units.ts'

describe('converting units', () => {
  test.each([
    [1, 'mile', 'km', 1.609344],
    [100, 'C', 'F', 212],
    [-40, 'fahrenheit', 'celsius', -40],
    [0, 'K', '°C', -273.15],
    [1, 'GiB', 'MB', 1073.741824],
    [100, 'Mb', 'MB', 12.5],
    [1, 'kB', 'bit', 8000],
    [2, 'lbs', 'g', 907.18474],
    [90, 'min', 'h', 1.5],
    [36, 'km/h', 'm/s', 10],
    [1, 'us gallon', 'liters', 3.785411784],
    [180, 'deg', 'turn', 0.5],
    [3, 'FEET', 'yd', 1],
    [5, 'C', 'C', 5],
  ])('%d %s in %s is %d', (value, from, to, expected) => {
    expect(convertUnits(value, from, to).value).toBeCloseTo(expected, 9)
  })

  test('names the dimensions when they differ', () => {
    expect(() => convertUnits(1, 'km', 'kg')).toThrow('km measures length and kg measures mass')
  })

  test('asks to be exact where case decides between bits and bytes', () => {
    expect(convertUnits(1, 'MB', 'Mb').value).toBe(8)
    expect(() => convertUnits(1, 'mb', 'kB')).toThrow("'mb' may mean Mb or MB")
  })

  test('lists what it knows when a unit is unknown, and reads no inherited names', () => {
    expect(() => convertUnits(1, 'parsec', 'm')).toThrow(/Unknown unit 'parsec'.*length: m nm/)
    expect(() => convertUnits(1, 'constructor', 'm')).toThrow('Unknown unit')
  })

  test('refuses temperatures below absolute zero', () => {
    expect(() => convertUnits(-300, 'C', 'F')).toThrow('absolute zero')
    expect(convertUnits(-273.15, 'C', 'K').value).toBe(0)
  })

  test('there and back gives the same number for every pair of a dimension', () => {
    for (const [there, back] of [
      ['ft', 'cm'],
      ['oz', 'g'],
      ['F', 'K'],
      ['TiB', 'GB'],
      ['acre', 'ha'],
      ['psi', 'bar'],
    ]) {
      const away = convertUnits(123.456, there ?? '', back ?? '').value
      expect(convertUnits(away, back ?? '', there ?? '').value).toBeCloseTo(123.456, 6)
    }
  })
})
