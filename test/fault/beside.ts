/** A second gateway of an installation that runs already, in this process. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../packages/gateway/src/app.ts'
import { loadConfig } from '../../packages/gateway/src/config.ts'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { createVault } from '../../packages/gateway/src/vault/vault.ts'

/** Another gateway of the same installation: it shares the database and the root key, and nothing in memory. */
export async function startBeside(
  { db }: TestGateway,
  settings: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { address: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-beside-'))
  const { config, path, lang } = loadConfig({
    PATH: process.env['PATH'],
    TOOLWAY_PORT: '0',
    TOOLWAY_DATA: folder,
    TOOLWAY_LIMIT_ADDRESS: 'off',
    TOOLWAY_LIMIT_ORGANIZATION: 'off',
    ...settings,
  })
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const store = { db, vault: createVault(Buffer.alloc(32, 7)) }
  const gateway = await createApp({ config, store, log, logLine() {}, path, lang })
  const address = `http://127.0.0.1:${await gateway.listen()}`
  return {
    address,
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
