import { describe, expect, test } from 'vitest'
import { decodeText } from './decode-text.ts'

/** Bytes of a single-byte encoding, by asking its decoder for each byte. */
function encoded(text: string, encoding: string): Uint8Array {
  const decoder = new TextDecoder(encoding)
  const codes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
  return Uint8Array.from(text, (character) => codes.get(character) ?? 0x3f)
}
/** Bytes of a double-byte encoding. */
function encodedDouble(text: string, encoding: string): Uint8Array {
  const decoder = new TextDecoder(encoding)
  const codes = new Map<string, number[]>()
  for (let first = 0; first < 256; first++) {
    codes.set(decoder.decode(Uint8Array.of(first)), [first])
    for (let second = 0x40; first > 0x80 && second < 0xff; second++)
      codes.set(decoder.decode(Uint8Array.of(first, second)), [first, second])
  }
  return Uint8Array.from([...text].flatMap((character) => codes.get(character) ?? [0x3f]))
}

const RUSSIAN =
  'Учёные сообщили о новых результатах. Работа продолжается в разных странах мира, и выводы ещё обсуждаются.'
const JAPANESE = '研究者たちは新しい結果を発表した。作業は続いており、結論はまだ議論されている。'

describe('the encoding of a page', () => {
  test('is that of its byte order mark, whatever else is said', () => {
    const utf16 = Buffer.from(`\uFEFF${RUSSIAN}`, 'utf16le')
    expect(decodeText(utf16, 'text/html; charset=utf-8')).toBe(RUSSIAN)
    expect(decodeText(Buffer.from(`\uFEFF${RUSSIAN}`), 'text/html; charset=windows-1251')).toBe(RUSSIAN)
  })

  test('is what the server says, then what the page says', () => {
    const bytes = encoded(RUSSIAN, 'windows-1251')
    expect(decodeText(bytes, 'text/html; charset="windows-1251"')).toBe(RUSSIAN)
    const page = (tag: string, body: Uint8Array) => Buffer.concat([Buffer.from(tag), body])
    for (const tag of [
      '<meta charset=windows-1251>',
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
      '<?xml version="1.0" encoding="windows-1251"?>',
    ])
      expect(decodeText(page(tag, bytes), 'text/html')).toBe(tag + RUSSIAN)
    const japanese = page('<meta charset="Shift_JIS">', encodedDouble(JAPANESE, 'shift_jis'))
    expect(decodeText(japanese, 'text/html')).toContain(JAPANESE)
    expect(decodeText(page('<meta charset="utf-16">', Buffer.from(RUSSIAN)), 'text/html')).toContain(RUSSIAN)
  })

  test('is UTF-8 where that fits, and else what the bytes look like', () => {
    expect(decodeText(Buffer.from(RUSSIAN), 'text/html')).toBe(RUSSIAN)
    expect(decodeText(encoded(RUSSIAN, 'windows-1251'), 'text/html')).toBe(RUSSIAN)
    expect(decodeText(encoded(RUSSIAN, 'koi8-r'), 'text/html')).toBe(RUSSIAN)
    expect(decodeText(encodedDouble(JAPANESE.repeat(3), 'euc-jp'), 'text/html')).toBe(JAPANESE.repeat(3))
    expect(decodeText(encoded('Grüße aus München, schöne Straße', 'windows-1252'), 'text/html; charset=nonsense')).toBe(
      'Grüße aus München, schöne Straße',
    )
  })

  test('never fails for bytes that fit nothing', () => {
    const bytes = Uint8Array.from({ length: 512 }, (_, at) => (at * 37) % 256)
    expect(decodeText(bytes, 'text/html; charset=utf-8').length).toBeGreaterThan(0)
    expect(decodeText(bytes, '').length).toBeGreaterThan(0)
    expect(decodeText(new Uint8Array(), '')).toBe('')
  })
})
