/** Tiles of names: told apart, and legible in every hue, light and dark. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tileOf } from './tile.ts'

const lookOf = (name: string) => Object.values(tileOf(name)).join(' ')

describe('a tile', () => {
  test('has letters of the first and the last word', () => {
    const letters = [
      'Orders',
      'Customer 360 22',
      'quality_11',
      'Ökostrom Berlin',
      '  (demo)',
      '🦊 fox',
      '🦊',
      '---',
      '',
    ].map((name) => tileOf(name).letters)
    expect(letters).toEqual(['O', 'C2', 'Q1', 'ÖB', 'D', 'F', '🦊', '-', ''])
  })

  test('differs among the numbered neighbours of a list', () => {
    const names = Array.from({ length: 48 }, (_, at) => `Customer 360 ${at}`)
    expect(new Set(names.map(lookOf)).size).toBeGreaterThan(36)
    const alike = names.slice(1).filter((name, at) => lookOf(name) === lookOf(names[at] ?? ''))
    expect(alike.length).toBeLessThan(5)
    expect(new Set(names.map((name) => tileOf(name).hue)).size).toBe(12)
  })

  test('is the same for the same name, however it is written', () => {
    expect(tileOf('Orders ')).toEqual(tileOf('orders'))
  })
})

const css = readFileSync(join(import.meta.dirname, 'toolway.css'), 'utf8')

/** The saturation and lightness of both colours of a rule. */
function coloursOf(selector: string): [number, number][] {
  const body = css.split(`${selector} {`)[1]?.split('}')[0] ?? ''
  return [...body.matchAll(/hsl\(var\(--hue\) (\d+)% (\d+)%\)/g)].map(([, s, l]) => [Number(s) / 100, Number(l) / 100])
}

/** WCAG 2.2, "relative luminance". */
function luminance(hue: number, [saturation, lightness]: [number, number]): number {
  const a = saturation * Math.min(lightness, 1 - lightness)
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12
    const value = lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(4)
}

test.each([
  '.letter',
  '.letter.deep',
  "[data-mantine-color-scheme='dark'] .letter",
  "[data-mantine-color-scheme='dark'] .letter.deep",
])('the letters of a tile have a contrast of 4.5 in every hue: %s', (selector) => {
  const [paper, ink] = coloursOf(selector)
  if (paper === undefined || ink === undefined) throw new Error(`${selector} has no colours`)
  const contrasts = Array.from({ length: 360 }, (_, hue) => {
    const [dark = 0, light = 0] = [luminance(hue, paper), luminance(hue, ink)].toSorted((one, other) => one - other)
    return (light + 0.05) / (dark + 0.05)
  })
  expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5)
})
