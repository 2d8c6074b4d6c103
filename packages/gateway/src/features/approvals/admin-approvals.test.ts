import type { FamilyId, KeyId, OrganizationId, UserId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { OPERATOR, type Principal } from '../../identity/principal.ts'
import { approverIn } from './admin-approvals.ts'

const ada = 'usr_ada' as UserId
const person: Principal = {
  ...OPERATOR,
  id: ada,
  kind: 'user',
  userId: ada,
  client: 'browser',
  signInId: 'fam_1' as FamilyId,
}
const known = { id: ada, role: 'tenant_admin', email: 'ada@acme.test', groups: [] } as const
const lookup = { person: () => known, all: () => Promise.resolve(() => known) }
const approver = (principal: Principal) => approverIn(lookup, 'org_1' as OrganizationId, principal)

test('whoever signed in answers, and whatever else calls in the name of a person does not', () => {
  expect(approver(person)).toBe(known)
  expect(approver({ ...person, client: 'command line' })).toBe(known)
  expect(approver({ ...person, client: 'cli_of_somebody' })).toBeUndefined()
  // A token of another issuer names no client, and is in the hands of whatever it was made for.
  expect(approver({ ...person, client: undefined, signInId: undefined })).toBeUndefined()
  expect(approver({ ...person, keyId: 'key_1' as KeyId })).toBeUndefined()
  expect(approver({ ...person, kind: 'key', keyId: 'key_1' as KeyId })).toBeUndefined()
})
