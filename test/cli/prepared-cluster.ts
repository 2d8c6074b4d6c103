/**
 * The database that comes along, as a first start leaves it before its first row: initdb and the migrations take more processor time than
 * the rest of such a start. It is made once in a process of tests, by the gateway's own parts, and copied for each installation.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { startEmbeddedPostgres } from '../../packages/gateway/src/db/embedded-postgres.ts'
import { migrate } from '../../packages/gateway/src/db/migrate.ts'

let prepared: Promise<string> | undefined

/** The data directory that has it. */
export function prepareCluster(): Promise<string> {
  prepared ??= makeCluster()
  return prepared
}

async function makeCluster(): Promise<string> {
  const directory = await mkdtemp(join(inject('clusters'), 'prepared-'))
  const server = await startEmbeddedPostgres({ directory })
  try {
    await migrate(server.connection)
  } finally {
    await server.stop()
  }
  return directory
}

/** A data directory that is there is left as it is. */
export function copyCluster(from: string, data: string): void {
  if (existsSync(data)) return
  mkdirSync(data, { mode: 0o700 })
  // With its owner, which under root is another account.
  execFileSync('cp', ['-a', join(from, 'postgres'), data])
}
