/** Several gateways that start at the same moment on one empty database, as a cluster does: none fails, and what one shows is valid. */
// @module-tag long
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callTool, textIn } from '../fault/caller.ts'
import { makeInstallation, type Settings } from './installation.ts'
import { makeDatabase } from './own-database.ts'

test.each([
  ['of one process each', [{}, {}, {}]],
  ['one of which has several processes', [{ TOOLWAY_PROCESSES: '2' }, {}, { TOOLWAY_PROCESSES: '2' }]],
] satisfies [string, Settings[]][])('three first starts at once, %s, make one installation', async (_, settings) => {
  await using database = await makeDatabase()
  await using ending = new AsyncDisposableStack()
  const shared = { DATABASE_URL: database.url, MCP_ENCRYPTION_KEY: 'ab'.repeat(32) }
  const places = await Promise.all(settings.map((own) => makeInstallation({ ...shared, ...own })))
  for (const here of places) ending.use(here)
  const running = await Promise.all(places.map((here) => here.start()))

  const shown = await Promise.all(
    places.map(({ data }) =>
      access(join(data, 'first-start.txt')).then(
        () => true,
        () => false,
      ),
    ),
  )
  expect(shown.filter(Boolean)).toHaveLength(1)
  const { key } = (await places[shown.indexOf(true)]?.firstSecrets()) ?? { key: '' }
  for (const { address } of running) {
    const call = await callTool({ url: `${address}/mcp`, key }, 'demo__calculate', { expression: '6*7' })
    expect(textIn(call)).toContain('42')
  }
  await Promise.all(running.map((one) => one.stop()))
})
