import { Fault } from '@toolway/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createVault } from '../vault/vault.ts'
import { ordered, PAGE_SIZE, PAGE_SIZE_LIMIT_CHARACTERS, pageOf, type Page } from './page.ts'

const signer = createVault(Buffer.alloc(32, 1))
const SCOPE = 'key_1 org_1 default  tools/list'
const nameOf = (index: number) => `tool ${String(index).padStart(4, '0')} ü`
const listOf = (count: number) => Array.from({ length: count }, (_, index) => ({ name: nameOf(index), index }))

const page = (
  list: readonly { name: string }[],
  cursor: string | undefined,
  { scope = SCOPE, size = 3, by = signer } = {},
): Page => pageOf(list, { cursor, scope, member: 'name', signer: by, size })

const cursorOf = (...asked: Parameters<typeof page>): string => {
  const { nextCursor } = page(...asked)
  if (nextCursor === undefined) throw new Error('there is no next page')
  return nextCursor
}

const refusal = (read: () => unknown): string => {
  try {
    read()
  } catch (thrown) {
    return Fault.of(thrown).code
  }
  throw new Error('it was taken')
}

describe('the pages of a list', () => {
  test('make up the list, whole and in order, for every length and size', () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.integer({ min: 1, max: 9 }), (length, size) => {
        const list = listOf(length)
        const seen = []
        let cursor: string | undefined
        do {
          const { items, nextCursor } = page(list, cursor, { size })
          expect(items.length).toBeLessThanOrEqual(size)
          seen.push(...items)
          cursor = nextCursor
        } while (cursor !== undefined)
        expect(seen).toEqual(list)
      }),
    )
  })

  test('are one, without a cursor, where everything fits', () => {
    for (const length of [0, 1, 3])
      expect(page(listOf(length), undefined)).toEqual({ items: listOf(length), nextCursor: undefined })
    expect(
      pageOf(listOf(PAGE_SIZE), { cursor: undefined, scope: SCOPE, member: 'name', signer }).nextCursor,
    ).toBeUndefined()
    expect(
      pageOf(listOf(PAGE_SIZE + 1), { cursor: undefined, scope: SCOPE, member: 'name', signer }).nextCursor,
    ).toBeDefined()
  })

  test('go on behind the last item given, whatever came or went before it', () => {
    const list = listOf(6)
    const cursor = cursorOf(list, undefined)
    expect(page(list.slice(2), cursor).items).toEqual(list.slice(3))
    expect(page([{ name: 'new' }, ...list], cursor).items).toEqual(list.slice(3))
  })

  test('go on where they were when the last item given is gone, and neither leave out nor repeat what stays', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 30 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat({ max: 30 })),
        (length, size, gone) => {
          const list = listOf(length)
          const { items, nextCursor } = page(list, undefined, { size })
          if (nextCursor === undefined) return
          const left = list.filter(({ index }) => !gone.includes(index))
          const rest = page(left, nextCursor, { size: 100 }).items
          expect(rest).toEqual(left.filter(({ index }) => index >= items.length))
        },
      ),
    )
  })

  test('are in the order of names where there are several, and in the server’s where there is one', () => {
    const few = [{ name: 'b' }, { name: 'a' }]
    expect(ordered(few, 'name')).toBe(few)
    const many = listOf(PAGE_SIZE + 1).toReversed()
    expect(ordered(many, 'name')).toEqual(listOf(PAGE_SIZE + 1))
  })
})

describe('a cursor', () => {
  const list = listOf(9)
  const cursor = cursorOf(list, undefined)

  test('is fit for an address and tells nothing secret', () => {
    expect(cursor).toMatch(/^[\w-]+\.[\w-]+$/)
  })

  test('is refused with any one of its characters changed, left out or doubled', () => {
    for (let at = 0; at < cursor.length; at++) {
      for (const put of ['', 'A', 'B', '-', '.', '=', '%', ' ', cursor.charAt(at).repeat(2)]) {
        const other = cursor.slice(0, at) + put + cursor.slice(at + 1)
        if (other !== cursor) expect(refusal(() => page(list, other))).toBe('cursor.unknown')
      }
    }
  })

  test.each([
    '',
    '.',
    '..',
    'x',
    ` ${cursor}`,
    `${cursor} `,
    `${cursor}.`,
    `${cursor}=`,
    `.${cursor}`,
    cursor.toUpperCase(),
    cursor.split('.')[0] ?? '',
    `${cursor}.x`,
  ])('that reads %j was not made here', (other) => {
    expect(refusal(() => page(list, other))).toBe('cursor.unknown')
  })

  test.each([
    ['another key', 'key_2 org_1 default  tools/list'],
    ['another organization', 'key_1 org_2 default  tools/list'],
    ['another toolset', 'key_1 org_1 other  tools/list'],
    ['another list', 'key_1 org_1 default  prompts/list'],
  ])('of %s is refused', (_, scope) => {
    expect(refusal(() => page(list, cursorOf(list, undefined, { scope })))).toBe('cursor.unknown')
    expect(refusal(() => page(list, cursor, { scope }))).toBe('cursor.unknown')
  })

  test('of another gateway is refused', () => {
    const other = createVault(Buffer.alloc(32, 2))
    expect(refusal(() => page(list, cursorOf(list, undefined, { by: other })))).toBe('cursor.unknown')
  })

  test('cannot be made of a signature that was given for something else', () => {
    const [encoded = ''] = cursor.split('.')
    const forged = `${encoded}.${signer.sign(`${SCOPE}\n${encoded}`, 'session')}`
    expect(refusal(() => page(list, forged))).toBe('cursor.unknown')
  })
})

test('a page has a mebibyte of definitions at most, and all of them come, each once', () => {
  const big = Array.from({ length: 60 }, (_, at) => ({ name: `t${100 - at}`, description: 'x'.repeat(50_000) }))
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const { items, nextCursor } = page(ordered(big, 'name') as { name: string }[], cursor, { size: PAGE_SIZE })
    expect(JSON.stringify(items).length).toBeLessThan(PAGE_SIZE_LIMIT_CHARACTERS + 1_000)
    seen.push(...items.map(({ name }) => String(name)))
    cursor = nextCursor
  } while (cursor !== undefined)
  expect(seen).toEqual(big.map(({ name }) => name).toSorted())
})
