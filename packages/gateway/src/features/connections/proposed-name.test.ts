import { expect, test } from 'vitest'
import { proposedName } from './proposed-name.ts'

test('the first name that a server gives is proposed, on one line', () => {
  expect(proposedName('Acme CRM', 'acme')).toBe('Acme CRM')
  expect(proposedName('', ' \n', 7, undefined, 'acme')).toBe('acme')
  expect(proposedName('  Acme\r\n\tCRM ')).toBe('Acme CRM')
  expect(proposedName(undefined, null, {}, '')).toBeUndefined()
})

test('a proposed name is short, hides nothing and holds no secret', () => {
  const long = proposedName('long name '.repeat(10_000))
  expect(long).toHaveLength(80)
  expect(proposedName('\u{202E}MRC\u{200B}\u{1B}[31m')).toBe('⟨U+202E⟩MRC⟨U+200B⟩⟨U+001B⟩[31m')
  expect(proposedName('\u{202E}'.repeat(500))?.length).toBeLessThanOrEqual(80)
  expect(proposedName('Acme ghp_0123456789abcdefghijABCDEFGHIJ')).toBe('Acme •••')
  expect(proposedName('Acme token=0123456789')).not.toContain('0123456789')
  expect(proposedName(`${'a'.repeat(319)}\u{1F600}`)?.isWellFormed()).toBe(true)
})
