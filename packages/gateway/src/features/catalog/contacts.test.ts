/** Contacts with a server as they are stored, where a refused call and the lists of the same server come together. */
import { ConnectionSettings, Fault, type ConnectionId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { addConnection, listConnections } from '../../connections/connections.ts'
import type { Db } from '../../db/db.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { addTestOrganization } from '../../testing/organization.ts'
import { createContacts } from './contacts.ts'

const settings = ConnectionSettings.parse({ connector: 'mcp.http', url: 'https://mcp.example/mcp' })
const offer = { revision: '2025-11-25', server: {}, capabilities: {}, tools: [], resources: [], templates: [] }

test('a call that is refused while lists are stored is not overwritten by them', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const { id: organizationId } = await addTestOrganization(db, 'acme')
  const words = { organizationId, alias: 'web', title: 'Web', settings, enabled: true, origin: 'test' }
  const id = (await db.organization(organizationId, (sql) =>
    addConnection(sql, { ...words, seal: () => undefined }),
  )) as ConnectionId
  let isFirst = true
  const late = {
    system: async (work: Parameters<Db['system']>[0]) => {
      if (isFirst) {
        isFirst = false
        await contacts.trouble(id, new Fault('upstream.needs-auth', { connection: 'web', problem: 'HTTP 401' }))
      }
      return db.system(work)
    },
  }
  const contacts = createContacts({ db: late } as never)
  await contacts.store(organizationId, id, { ...offer, prompts: [], leftOut: [], repaired: [] } as never)
  const [row] = await db.organization(organizationId, (sql) => listConnections(sql))
  expect(row?.status).toBe('needs_auth')
})
