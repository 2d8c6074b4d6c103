import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'
import { csvRows, csvTextOf } from './csv-rows.ts'

const cellsOf = (text: string) => csvRows(text).map(({ cells }) => cells)

test('a byte order mark, semicolons, tabs, quotation marks and any line break are read', () => {
  expect(cellsOf('\uFEFFname;email\r\n"Müller; Ada";a@x.test\r\n')).toEqual([
    ['name', 'email'],
    ['Müller; Ada', 'a@x.test'],
  ])
  expect(cellsOf('a\tb\n1\t"two ""2"""\n')).toEqual([
    ['a', 'b'],
    ['1', 'two "2"'],
  ])
  expect(cellsOf('a,b\r1,2\r')).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
  expect(cellsOf('a,b\n1,2')).toHaveLength(2)
  expect(cellsOf('')).toEqual([])
})

test('rows have the numbers of their lines, and empty lines none of their own', () => {
  expect(csvRows('a,b\n\n"x\ny",2\r\n\r\n3,4').map(({ line }) => line)).toEqual([1, 3, 6])
})

test('a quotation mark without its counterpart spoils its own row only', () => {
  const lost = csvRows('name,email\n"Ada,a@x.test\nBob,b@x.test\n"Eve",e@x.test\n"open,c@x.test')
  expect(lost).toEqual([
    { line: 1, cells: ['name', 'email'] },
    { line: 2, cells: undefined },
    { line: 3, cells: ['Bob', 'b@x.test'] },
    { line: 4, cells: ['Eve', 'e@x.test'] },
    { line: 5, cells: undefined },
  ])
})

test('what an export marks comes back as it was', () => {
  const values = ['=1+1', '+49', '-x', '@x', 'plain', "'quoted", 'a"b,c']
  expect(cellsOf(csvLine(values))).toEqual([values])
})

test('long texts of quotation marks are read in a moment', () => {
  const hostile = `a,b\n${'"'.repeat(100_001)}\n${'"x\n'.repeat(20_000)}`
  expect(csvRows(hostile).length).toBeGreaterThan(10_000)
  // The largest request: from each of these lines a row would go on to the end of the text and fail there, for ten minutes in all.
  expect(csvRows(`email,name\n${'x","y\n'.repeat(460_000)}`, 10_002)).toHaveLength(10_002)
  expect(csvRows('a\n'.repeat(1_000), 10)).toHaveLength(10)
})

test('bytes of Windows-1252 and UTF-16 are no text', () => {
  expect(csvTextOf(Uint8Array.of(0x4d, 0xfc, 0x6c))).toBeUndefined()
  expect(csvTextOf(Uint8Array.of(0xff, 0xfe, 0x61, 0))).toBeUndefined()
  expect(csvTextOf(new TextEncoder().encode('Müller'))).toBe('Müller')
})
