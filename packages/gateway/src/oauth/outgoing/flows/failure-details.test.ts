import { Fault } from '@toolway/contract'
import { expect, test } from 'vitest'
import { createFailureDetails } from './failure-details.ts'
import { FlowProblem } from './callback-check.ts'

const vault = {
  seal: (text: string, row: string) => Buffer.from(`${row}|${text}`),
  open(sealed: Uint8Array, row: string) {
    const text = Buffer.from(sealed).toString('utf8')
    if (!text.startsWith(`${row}|`)) throw new Error('was sealed for another row')
    return text.slice(row.length + 1)
  },
}

test('what the authorization server said reaches our page for ten minutes, and nobody else can write it', () => {
  let now = 0
  const details = createFailureDetails(vault, () => now)
  const refused = new Fault('authority.refused', { connection: 'notes', problem: 'invalid_grant (“expired”)' })
  const sealed = details.seal(new FlowProblem('token_exchange_failed', 'client', refused)) ?? ''
  expect(details.open(sealed)).toBe('invalid_grant (“expired”)')
  expect(details.open(Buffer.from('{"text":"call 555","until":9e15}').toString('base64url'))).toBeUndefined()
  expect(details.open('')).toBeUndefined()
  now = 10 * 60_000
  expect(details.open(sealed)).toBeUndefined()
  expect(details.seal(new FlowProblem('invalid_state', 'spent'))).toBeUndefined()
})
