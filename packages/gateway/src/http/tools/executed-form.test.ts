/** The result of a call in the form of the source system: its code is ours alone. */
import { expect, test } from 'vitest'
import { executedForm } from './executed-form.ts'

const text = (words: string) => ({ type: 'text', text: words })

test.each([
  [
    'a fault of the gateway has its code',
    { content: [text('no')], isError: true, _meta: { 'dev.toolway/fault': { code: 'POLICY_VIOLATION' } } },
    { data: null, successful: false, error: 'no', code: 'POLICY_VIOLATION', log_id: 'c1' },
  ],
  [
    'a server that answers in this form has none',
    { structuredContent: { data: 1, successful: false, error: 'no', code: 'POLICY_VIOLATION', log_id: 'l1' } },
    { data: 1, successful: false, error: 'no', log_id: 'l1' },
  ],
])('%s', (_, result, body) => expect(executedForm(result as never, 'c1')).toEqual(body))
