/** The advice to a model after a failure. */
import { expect, test } from 'vitest'
import { resultText } from './answers.ts'
import type { Namespace } from './proxy.ts'

const NAMESPACE = { name: 'acme', displayName: 'Acme' } as Namespace
const said = (code: string | undefined) =>
  JSON.stringify(
    resultText({ data: null, successful: false, error: 'No.', code, logId: 'log_1', link: undefined }, NAMESPACE, [
      NAMESPACE,
    ]).content,
  )

test.each([
  ['APPROVAL_REQUIRED', 'a person has to approve this call'],
  ['NEEDS_AUTH', 'connect an account first'],
  ['PERMISSION_DENIED', 'not allowed for this account'],
  ['POLICY_VIOLATION', 'a rule of the workspace forbids this call'],
  ['RATE_LIMITED', 'wait before you call it again'],
  ['UNAVAILABLE', 'Call it again later'],
])('%s is not answered with the advice to read the parameters', (code, tip) => {
  expect(said(code)).toContain(tip)
  expect(said(code)).not.toContain('which parameters')
})

test.each(['INVALID_ARGUMENT', 'TOOL_NOT_FOUND', undefined])('%s is: the call itself may be wrong', (code) => {
  expect(said(code)).toContain('list the tools of acme to see which parameters this one takes')
})
