import { expect, test } from 'vitest'
import { planDomains } from './plan-sign-in.ts'

const declared = (glass: string) => ({
  ...{ slug: 'acme', name: 'Acme', connections: [], toolsets: [], keys: [] },
  identityDomains: [{ domain: 'acme.example', enforced: true, break_glass: glass }],
})
const present = (glass: string) => ({
  identityProviders: [],
  identityDomains: [{ domain: 'acme.example', enforced: true, break_glass: glass }],
})

test('an address with capital letters is no change of a domain, and another address is one', () => {
  expect(planDomains(declared('Boss@Acme.example'), present('boss@acme.example'))).toEqual([])
  expect(planDomains(declared('ada@acme.example'), present('boss@acme.example'))).toMatchObject([
    { action: 'change', fields: ['break_glass'] },
  ])
})
