/**
 * A whole gateway that can be asked what it holds: composed as `toolway start` does, with a database of its own, in a process
 * whose garbage is collected before each answer.
 *
 * Given its server's address and a folder for all it writes. Says its address and key once; `{ ask: 'held' }` is answered in
 * bytes, `{ ask: 'end' }` ends it in order. It ends when its parent goes, too.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { declare } from '../../../packages/gateway/src/features/declaration/index.ts'
import { openStore } from '../../../packages/gateway/src/base/open-store.ts'
import { createApp } from '../../../packages/gateway/src/app.ts'
import { loadConfig } from '../../../packages/gateway/src/config.ts'
import { ensureOrganization } from '../../../packages/gateway/src/organizations/organizations.ts'
import { held } from '../counts/held.ts'

const [upstream = '', directory = ''] = process.argv.slice(2)

const silent = { debug() {}, info() {}, warn() {}, error() {} }

async function start() {
  const { config, path } = loadConfig(
    {
      PATH: process.env['PATH'],
      TOOLWAY_PORT: '0',
      TOOLWAY_DATA: join(directory, 'data'),
      TOOLWAY_SESSIONS_PER_PRINCIPAL: '10000',
      TOOLWAY_LIMIT_ADDRESS: 'off',
      TOOLWAY_LIMIT_ORGANIZATION: 'off',
    },
    directory,
  )
  const store = await openStore({
    directory: config.TOOLWAY_DATA,
    databaseUrl: undefined,
    keys: {},
    owner: true,
    log: silent,
  })
  const key = `uru_${randomBytes(32).toString('hex')}`
  await store.db.system((sql) => ensureOrganization(sql, 'default', 'Default', 'first run'))
  const wire = { kind: 'http', url: upstream, headers: {} } as const
  const { TOOLWAY_LIMIT_ORGANIZATION: requestsPerMinute, TOOLWAY_SANDBOX_ROOTS: roots } = config
  await declare({ ...store, requestsPerMinute, roots }, [
    {
      slug: 'default',
      name: 'Default',
      connections: [
        { alias: 'stub', title: 'Stub', enabled: true, trusted: true, revision: '2025-11-25', timeout: 60, wire },
      ],
      toolsets: [],
      keys: [{ name: 'memory', value: key, toolset: undefined }],
    },
  ])
  const gateway = await createApp({ config, store, log: silent, logLine() {}, path, lang: undefined })
  const port = await gateway.listen(10_000)
  const end = async () => {
    await gateway.close()
    await store.close()
  }
  return { port, key, end }
}

const { port, key, end } = await start()
process.on('message', (asked: { ask: 'held' | 'end' }) => {
  if (asked.ask === 'held') void held().then((bytes) => process.send?.(bytes))
  else void end().then(() => process.send?.({}, () => process.disconnect()))
})
process.once('disconnect', () => void end().finally(() => process.exit(0)))
process.send?.({ port, key })
