/** Groups that a file names: who is in them, also of those who come later, and what the file no longer says. */
import { expect, test } from 'vitest'
import { ensureOrganization } from '../../organizations/organizations.ts'
import { removeMember } from '../../organizations/members.ts'
import { describeEachPostgres } from '../../testing/database.ts'
import { createTestVault } from '../../testing/gateway.ts'
import { addPerson } from '../../testing/people.ts'
import { listGroups } from '../../organizations/groups.ts'
import { putGroup, withMembers } from '../people/groups.ts'
import { DeclarationConflict } from './conflict.ts'
import { declare, withdraw } from './declare.operations.ts'
import type { DeclaredGroup } from './declared.ts'

const vault = createTestVault()

describeEachPostgres('groups of a file', (createDatabase) => {
  async function fixture() {
    const database = await createDatabase()
    const { db } = database
    const { id } = await db.system((sql) => ensureOrganization(sql, 'acme', undefined, 'command line'))
    const file = (groups: readonly DeclaredGroup[], slug = 'acme') => [
      { slug, name: undefined, connections: [], toolsets: [], keys: [], groups },
    ]
    return {
      db,
      id,
      run: (...groups: DeclaredGroup[]) => declare({ db, vault, requestsPerMinute: 0, roots: [] }, file(groups)),
      withdraw: () => withdraw({ db, vault, requestsPerMinute: 0, roots: [] }, file([], 'other')),
      join: (email: string) => addPerson(db, { email, roles: [[id, 'tenant_member']] }),
      seen: async () =>
        (await db.organization(id, async (sql) => withMembers(sql, await listGroups(sql)))).map(
          ({ slug, title, origin, members }) => ({
            ...{ slug, title, origin },
            members: members.map(({ email }) => email),
          }),
        ),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  }
  const finance = (...members: string[]) => ({ slug: 'finance', title: 'Finance', members })

  test('have the members that it names, those who become members later, and nobody else', async () => {
    await using held = await fixture()
    await held.join('ada@example.com')
    await held.run(finance('ada@example.com', 'bob@example.com'))
    expect(await held.seen()).toEqual([
      { slug: 'finance', title: 'Finance', origin: 'file', members: ['ada@example.com'] },
    ])
    const bob = await held.join('bob@example.com')
    await held.join('eve@example.com')
    expect(await held.seen()).toMatchObject([{ members: ['ada@example.com', 'bob@example.com'] }])
    await held.db.organization(held.id, (sql) => removeMember(sql, bob.id))
    expect(await held.seen()).toMatchObject([{ members: ['ada@example.com'] }])
    await held.run(finance('eve@example.com'))
    expect(await held.seen()).toMatchObject([{ members: ['eve@example.com'] }])
  })

  test('go when it no longer names them, or the organization', async () => {
    await using held = await fixture()
    await held.run(finance(), { slug: 'legal', title: 'legal', members: [] })
    await held.run(finance())
    expect(await held.seen()).toMatchObject([{ slug: 'finance' }])
    await held.withdraw()
    expect(await held.seen()).toEqual([])
  })

  test('are the file’s own: one that is there already is a conflict, and one of the file is changed there only', async () => {
    await using held = await fixture()
    await held.db.organization(held.id, (sql) =>
      putGroup(sql, { organizationId: held.id, slug: 'finance', origin: 'administration' }, {}),
    )
    await expect(held.run(finance())).rejects.toThrow(DeclarationConflict)
    await held.run({ slug: 'legal', title: 'legal', members: [] })
    const change = held.db.organization(held.id, (sql) =>
      putGroup(sql, { organizationId: held.id, slug: 'legal', origin: 'administration' }, { title: 'Mine' }),
    )
    await expect(change).rejects.toMatchObject({ code: 'thing.declared' })
  })
})
