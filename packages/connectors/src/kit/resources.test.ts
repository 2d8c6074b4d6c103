/** Addresses of resources: as a regular expression would match them, and in linear time whatever template and address say. */
import { describe, expect, test } from 'vitest'
import { callOf, problemOfTemplates } from './resources.ts'

const read = (template: string, uri: string, accepts = () => true) =>
  callOf({ id: 'acme', resources: { [template]: 'get_item' }, tools: new Map([['acme_get_item', {}]]) }, uri, accepts)
    ?.arguments

/** The expression that was used before; for short texts it is the measure. */
function expected(template: string, uri: string): Record<string, string> | undefined {
  const names: string[] = []
  const pattern = template.split(/(\{\+?\w+\})/).map((part) => {
    const [, plus, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? []
    if (name === undefined) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    names.push(name)
    return plus === '+' ? '([^?#]+)' : '([^/?#]+)'
  })
  const found = new RegExp(`^${pattern.join('')}$`, 'u').exec(uri)
  return found === null ? undefined : Object.fromEntries(names.map((name, at) => [name, found[at + 1] ?? '']))
}

describe('an address', () => {
  test.each([
    ['acme://item/{id}', 'acme://item/7', { id: '7' }],
    ['acme://item/{id}', 'acme://item/a%2Fb', { id: 'a/b' }],
    ['acme://item/{id}', 'acme://item/', undefined],
    ['acme://item/{id}', 'acme://item/a/b', undefined],
    ['acme://{owner}/{repo}/{+path}', 'acme://a/b/c/d', { owner: 'a', repo: 'b', path: 'c/d' }],
    ['acme://{+path}/raw', 'acme://a/raw/raw', { path: 'a/raw' }],
    ['acme://item/{id}', 'acme://item/%', undefined],
    ['acme://item/{id}', 'acme://item/7?x', undefined],
  ])('of %s: %s', (template, uri, values) => expect(read(template, uri)).toEqual(values))

  test('is matched as a regular expression matches it', () => {
    const templates = [
      '{a}',
      '{+a}',
      'x{a}',
      '{a}x',
      '{a}x{b}',
      '{+a}x{b}',
      '{a}xy{+b}y',
      '{a}/{+b}/{c}',
      'x{+a}xx{b}x',
    ]
    const letters = ['x', 'y', '/', 'a', '?']
    let matched = 0
    for (let number = 0; number < letters.length ** 6; number += 3) {
      const uri = [...number.toString(letters.length)].map((digit) => letters[Number(digit)]).join('')
      for (const template of templates) {
        const values = expected(template, uri)
        if (values !== undefined) matched++
        expect([template, uri, read(template, uri)]).toEqual([template, uri, values])
      }
    }
    expect(matched).toBeGreaterThan(1_000)
  })

  test('gives numbers to inputs that take no texts', () => {
    expect(read('acme://item/{id}', 'acme://item/7', () => false)).toEqual({ id: 7 })
    expect(read('acme://item/{id}', 'acme://item/7a', () => false)).toEqual({ id: '7a' })
  })

  // A backtracking expression needs more than 10^20 steps for each of these.
  test.each(['', '+'])('that has every separator a thousand times is matched at once ({%s})', (plus) => {
    const template = `acme://${[...'abcdefghij'].map((name) => `{${plus}${name}}`).join('-')}/x`
    expect(read(template, `acme://${'a-'.repeat(1_900)}?`)).toBeUndefined()
    expect(read(template, `acme://${'a-'.repeat(1_900)}a/x`)).toMatchObject({ b: 'a', j: 'a' })
    expect(read(template, `acme://${'a-'.repeat(50_000)}a/x`)).toBeUndefined()
  })
})

test.each([
  [{ 'acme://{a}{b}/x': 'get_item' }, /side by side/],
  [{ [`acme://${'{a}/'.repeat(11)}`]: 'get_item' }, /more than 10 variables/],
  [{ [`acme://${'a'.repeat(500)}`]: 'get_item' }, /longer than 500 characters/],
  [Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`acme://${at}/{id}`, 'get_item'])), /more than 100/],
  [{ 'acme://{a}/{+b}.{c}': 'get_item' }, /^$/],
] as const)('templates that cannot be told apart, or are too many, are refused (%#)', (resources, problem) =>
  expect(problemOfTemplates(resources) ?? '').toMatch(problem),
)
