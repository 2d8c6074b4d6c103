/**
 * A server that npx fetches, in the sandbox: through the gateway's proxy, once, into the folder of that server alone; without a network
 * it starts from there. The registry is one of the machine's own network, with one package, that answers as npm's does.
 */
// @module-tag long
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { createBubblewrap } from '../../../packages/gateway/src/upstreams/children/sandbox/bubblewrap.ts'
import { callTool } from '../peers/clients/raw-client.ts'

const Nothing = z.object({})
const NAME = 'toolway-river-server'
const SERVER = join(import.meta.dirname, '../peers/runtimes/server.mjs')
/** Not 127.0.0.1: programs reach that without their proxy. */
const HOST = '127.0.0.2'

const bubblewrap = await createBubblewrap().check()
if (!bubblewrap.ready) console.warn(`No network is confined here: ${bubblewrap.reason}`)

/** The document of a package (registry/docs/responses/package-metadata.md of npm) and its file. */
async function startRegistry(folder: string) {
  const source = join(folder, 'package')
  await mkdir(source, { recursive: true })
  await copyFile(SERVER, join(source, 'server.mjs'))
  const manifest = { name: NAME, version: '1.0.0', bin: { [NAME]: 'server.mjs' } }
  await writeFile(join(source, 'server.mjs'), `#!/usr/bin/env node\n${await readFile(SERVER, 'utf8')}`)
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest))
  const [file = ''] = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source })
    .toString()
    .trim()
    .split('\n')
  const bytes = await readFile(join(folder, file))
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === `/${NAME}.tgz`) return void response.end(bytes)
    if (request.url !== `/${NAME}`) return void response.writeHead(404).end('{}')
    const tarball = `http://${request.headers.host}/${NAME}.tgz`
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    const versions = { '1.0.0': { ...manifest, dist: { tarball, integrity } } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: '1.0.0' }, versions }))
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  const url = `http://${HOST}:${(server.address() as AddressInfo).port}/`
  return { url, asked, [Symbol.asyncDispose]: async () => void server.close() }
}

test.runIf(bubblewrap.ready)(
  'npx fetches a server once, into a folder of its own, and starts it without a network afterwards',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolway-npx-'))
    await using parts = new AsyncDisposableStack()
    parts.defer(() => rm(folder, { recursive: true, force: true }))
    const registry = parts.use(await startRegistry(folder))
    const program = { kind: 'process' as const, command: 'npx', args: ['-y', NAME], environment: {} }
    const gateway = parts.use(
      await startTestGateway({
        settings: {
          TOOLWAY_NPM_REGISTRY: registry.url,
          TOOLWAY_DATA: join(folder, 'data'),
          TOOLWAY_SANDBOX: 'required',
        },
        connections: [
          { alias: 'fetched', wire: program },
          { alias: 'closed', wire: { ...program, access: { network: 'none' } } },
        ],
      }),
    )
    const peer = { url: gateway.connectionUrl('fetched'), key: gateway.key, era: 'modern' as const }
    const call = async () => (await callTool(peer, 'written_in')).answer.result?.content?.[0]?.text
    expect(await gateway.settled('fetched')).toMatchObject({ status: 'connected', tools: 1 })
    expect(await call()).toMatch(/^JavaScript/)
    // The other server has a cache of its own, in which it is not.
    expect(await gateway.settled('closed')).toMatchObject({
      status: 'error',
      reason: expect.stringContaining('ENOTCACHED'),
    })
    const cached = async (alias: string) => {
      const children = join(folder, 'data/children')
      const own = (await readdir(children)).find((name) => name.startsWith(alias)) ?? ''
      return (await readdir(join(children, own, 'npm'))).includes('_npx')
    }
    expect([await cached('fetched'), await cached('closed')]).toEqual([true, false])
    const before = registry.asked.length
    expect(registry.asked).toContain(`/${NAME}.tgz`)
    await gateway.restart(() =>
      gateway.db.system(
        (sql) =>
          sql(Nothing)`update connections set settings = settings || '{"network":"none"}' where alias = 'fetched'`,
      ),
    )
    expect(await call()).toMatch(/^JavaScript/)
    expect(registry.asked.length).toBe(before)
  },
)
