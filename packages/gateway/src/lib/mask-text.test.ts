import { expect, test } from 'vitest'
import { maskText, shortText } from './mask-text.ts'

test.each([
  ['502: the customer database is not reachable', '502: the customer database is not reachable'],
  ['Authorization: Bearer abcdef123456 was refused', 'Authorization: ••• ••• was refused'],
  ['login failed for password=hunter2, try again', 'login failed for password=•••, try again'],
  ['{"api_key": "k-1", "city": "Bern"}', '{"api_key": •••, "city": "Bern"}'],
  ['the key sk-abcdefghijklmnop is not valid', 'the key ••• is not valid'],
  ['see https://u:p@db.example.com/x?token=1', 'see https://•••@db.example.com/x?token=•••'],
  ['id 550e8400-e29b-41d4-a716-446655440000 is unknown', 'id 550e8400-e29b-41d4-a716-446655440000 is unknown'],
])('an error text is kept without what looks like a secret: %s', (text, kept) => {
  expect(maskText(text)).toBe(kept)
})

test('an error text is one short line', () => {
  expect(shortText('first\n\tsecond\0third', 300)).toBe('first second third')
  const long = shortText('word '.repeat(1_000_000), 300)
  expect([long.length, long.at(-1)]).toEqual([300, '…'])
  expect(shortText('\ud800 half', 300).isWellFormed()).toBe(true)
})
