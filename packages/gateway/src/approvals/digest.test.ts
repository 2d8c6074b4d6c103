import { expect, test } from 'vitest'
import { digestOf, type ApprovedCall } from './digest.ts'

const ASKED: ApprovedCall = {
  tool: 'a'.repeat(64),
  name: 'send',
  arguments: { to: 'all', text: 'hello', more: [1, 2] },
  account: null,
  caller: 'usr_1',
  connection: 'con_1',
  rules: [{ id: 'rul_1', parameters: { repeat: 0 } }],
}

test('a digest stands for one call: the same however it is written, another for whatever is another', () => {
  const digest = digestOf(ASKED)
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  expect(digestOf({ ...ASKED, arguments: { more: [1, 2], text: 'hello', to: 'all' } })).toBe(digest)
  const others: Partial<ApprovedCall>[] = [
    { tool: 'b'.repeat(64) },
    { name: 'send2' },
    { account: 'work' },
    { account: '' },
    { caller: 'usr_1 client' },
    { connection: 'con_2' },
    { rules: [] },
    { rules: [{ id: 'rul_2', parameters: { repeat: 0 } }] },
    { rules: [{ id: 'rul_1', parameters: { repeat: 3600 } }] },
    { arguments: {} },
    { arguments: { ...ASKED.arguments, text: 'hello ' } },
    { arguments: { ...ASKED.arguments, more: [2, 1] } },
    { arguments: { ...ASKED.arguments, extra: null } },
    // The same letters in another normal form are other bytes.
    { arguments: { ...ASKED.arguments, text: 'he\u0301llo' } },
    { arguments: { ...ASKED.arguments, text: 'h\u00e9llo' } },
  ]
  const digests = others.map((other) => digestOf({ ...ASKED, ...other }))
  expect(new Set([digest, ...digests]).size).toBe(others.length + 1)
})
