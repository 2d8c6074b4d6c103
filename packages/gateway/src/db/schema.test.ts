/** Tests that schema.sql matches the schema that the migrations create. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { describeSchema, schemaFile } from './schema.ts'

test('schema.sql is what the migrations make (node packages/gateway/src/db/schema.ts writes it anew)', async () => {
  await using database = await createTestDatabase()
  expect(await describeSchema(database.connection)).toBe(await readFile(schemaFile, 'utf8'))
})
