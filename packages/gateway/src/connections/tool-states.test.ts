import { expect, test } from 'vitest'
import { ConnectionSettings, type OrganizationId } from '@toolway/contract'
import { describeEachPostgres } from '../testing/database.ts'
import { addTestOrganization } from '../testing/organization.ts'
import { addConnection, listConnections, removeConnection } from './connections.ts'
import { listToolStates, switchAllTools, switchTools } from './tool-states.ts'

const settings = ConnectionSettings.parse({ connector: 'mcp.http', url: 'https://x.example', timeout: 1 })

describeEachPostgres('the switches of tools', (createDatabase) => {
  test('are kept by name, or for all, later ones too; and go with their connection', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id: organization } = await addTestOrganization(db, 'acme')
    const within = <T>(work: Parameters<typeof db.organization<T>>[1]) => db.organization(organization, work)
    const id = await within((sql) =>
      addConnection(sql, {
        ...{ organizationId: organization, alias: 'a', title: 'A', settings, enabled: true, origin: 'test' },
        seal: () => undefined,
      }),
    )
    if (id === undefined) throw new Error('the alias is taken')
    const states = async () => (await within(listToolStates)).map(({ tool, enabled }) => `${tool} ${enabled}`)
    const put = (...all: [string, boolean][]) =>
      within((sql) =>
        switchTools(
          sql,
          organization,
          id,
          all.map(([tool, enabled]) => ({ tool, enabled })),
        ),
      )
    await put(['b', false], ['a', false])
    await put(['a', true], ['"{,}"', false])
    expect(await states()).toEqual(['"{,}" false', 'a true', 'b false'])
    const before = (await within(listConnections))[0]
    await within((sql) => switchAllTools(sql, id, false))
    expect(await states()).toEqual([])
    const after = (await within(listConnections))[0]
    expect([before?.tools_default, after?.tools_default]).toEqual([true, false])
    // Nothing of the connection is opened anew for it.
    expect(after?.updated_at).toEqual(before?.updated_at)
    await put(['a', true])
    await within((sql) => removeConnection(sql, 'a'))
    expect(await states()).toEqual([])
  })

  test('cannot be put on a connection of another organization', async () => {
    await using database = await createDatabase()
    const { db } = database
    const [one, two] = [await addTestOrganization(db, 'one'), await addTestOrganization(db, 'two')]
    const id = await db.organization(one.id, (sql) =>
      addConnection(sql, {
        ...{ organizationId: one.id, alias: 'a', title: 'A', settings, enabled: true, origin: 'test' },
        seal: () => undefined,
      }),
    )
    if (id === undefined) throw new Error('the alias is taken')
    const put = (as: OrganizationId, owner: OrganizationId) =>
      db.organization(as, (sql) => switchTools(sql, owner, id, [{ tool: 'x', enabled: false }]))
    await expect(put(two.id, two.id)).rejects.toMatchObject({ code: '23503' })
    await expect(put(two.id, one.id)).rejects.toMatchObject({ code: '42501' })
    await db.organization(two.id, (sql) => switchAllTools(sql, id, false))
    expect((await db.organization(one.id, listConnections))[0]?.tools_default).toBe(true)
  })
})
