/**
 * Official SDKs of other languages with the whole zoo behind their endpoint, beside a server without a fault: they list all that has a
 * meaning and call each of it. They are installed and built into `node_modules/.cache`; what cannot be had is left out, and named.
 *
 * @module-tag long
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { bringOAuthServers } from '../../tools/counterparts.ts'
import { bringGoClient, findRustClient } from '../../tools/zoo-clients.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { IS_SHORT } from '../setup/form.ts'
import { ERAS } from './rows/row.ts'
import { wireAt } from './rows/servers.ts'
import { COUNTS, GOOD, RESULTS, wholeZoo } from './whole-zoo.ts'
import { startZooServer } from './zoo-server.ts'

const run = promisify(execFile)

interface Program {
  readonly command: string
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}
type Found = Program | { readonly lacking: string }

/** The Python SDK comes with the OAuth servers that are built on it. */
function bringPython(): Found {
  const found = bringOAuthServers()
  if ('lacking' in found) return found
  const args = [join(import.meta.dirname, 'other-clients/python/client.py')]
  return { command: 'python3', args, environment: { PYTHONPATH: found.packages, PYTHONDONTWRITEBYTECODE: '1' } }
}

const SDKS: readonly (readonly [name: string, bring: () => Found, modes: readonly string[]])[] = [
  ['Python', bringPython, ['auto', 'legacy']],
  ['Go', bringGoClient, ['']],
  ['Rust', findRustClient, ['']],
]

interface Report {
  readonly tools: readonly string[]
  readonly prompts: readonly string[]
  readonly failed: readonly (readonly [tool: string, error: string])[]
}

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  const connections = []
  for (const era of ERAS) {
    const zoo = parts.use(await startZooServer(wholeZoo(era)))
    const neighbour = parts.use(await startZooServer({ era, tools: [GOOD] }))
    connections.push(
      { alias: `zoo_${era}`, wire: wireAt(zoo.url) },
      { alias: `tidy_${era}`, wire: wireAt(neighbour.url) },
    )
  }
  gateway = parts.use(await openGateway({ connections }))
})
afterAll(() => parts.disposeAsync())

for (const [name, bring, modes] of SDKS) {
  // Built by nobody whose tests leave this file out.
  const program = IS_SHORT ? { lacking: 'it is for the long form' } : bring()
  if ('lacking' in program && !IS_SHORT)
    console.warn(`The client of the ${name} SDK is not tested: ${program.lacking}.`)

  describe.skipIf('lacking' in program).each(modes)(`the ${name} SDK %s`, (mode) => {
    test('lists every tool of the zoo that has a meaning, and can read what each call gives', async () => {
      if ('lacking' in program) return expect.unreachable(program.lacking)
      const { command, args = [], environment = {} } = program
      const env = {
        ...environment,
        PATH: process.env['PATH'],
        ZOO_URL: gateway.url,
        ZOO_KEY: gateway.key,
        ZOO_MODE: mode,
      }
      const { stdout } = await run(command, args, { env, maxBuffer: 16 * 1024 * 1024 })
      const { tools, prompts, failed } = JSON.parse(stdout) as Report
      for (const era of ERAS) {
        expect(tools).toContain(`tidy_${era}__good`)
        const count = (kind: string) => tools.filter((name) => name.startsWith(`zoo_${era}__${kind}`)).length
        expect([count('tool'), count('result')], era).toEqual([COUNTS.repaired, RESULTS.length])
        expect(prompts).toContain(`zoo_${era}__good`)
      }
      expect(failed).toEqual([])
    })
  })
}
