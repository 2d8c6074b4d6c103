/** Members of a test gateway, each with a key in the form of the source system. */
import { newId, type Role, type UserId } from '@toolway/contract'
import { z } from 'zod'
import { createTestVault, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'

const vault = createTestVault()

/** The key of a member, or of somebody named here only. */
export const keyOf = (word: string) => `uru_${Buffer.from(word.padEnd(32, '.')).toString('hex')}`

export const addKey = (gateway: TestGateway, word: string, role: Role, userId: UserId | null) =>
  gateway.db.system(
    (sql) => sql(z.object({}))`
      insert into keys (id, organization_id, user_id, name, hint, hash, origin, role)
      values (${newId('key')}, ${userId === null ? null : gateway.organization.id}, ${userId}, ${word}, 'hint',
        ${vault.hash(keyOf(word))}, 'test', ${role})`,
  )

/** `name@example.com`, with the key of that name. */
export async function addMember(gateway: TestGateway, name: string, role: Role = 'tenant_member'): Promise<UserId> {
  const { id } = gateway.organization
  const person = await addPerson(gateway.db, { email: `${name}@example.com`, roles: [[id, role]] })
  await addKey(gateway, name, role, person.id)
  return person.id
}
