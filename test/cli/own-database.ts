/** An empty database of a PostgreSQL server, as an operator names it in DATABASE_URL. */
import { inject } from 'vitest'
import { createTestDatabase } from '../../packages/gateway/src/testing/database.ts'

export async function makeDatabase() {
  const database = await createTestDatabase({ empty: true, server: inject('outsidePostgres') ?? inject('postgres') })
  const { user, password, host, port, database: name } = database.connection as Readonly<Record<string, unknown>>
  const url = new URL(`postgresql://localhost/${name}`)
  url.searchParams.set('host', String(host))
  if (port !== undefined) url.searchParams.set('port', String(port))
  url.searchParams.set('user', String(user))
  if (password !== undefined) url.searchParams.set('password', String(password))
  return { url: url.href, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}
