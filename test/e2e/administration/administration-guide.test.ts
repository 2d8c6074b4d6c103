/** Tests that the guide to administration is correct: its commands run as written, one after the other. */
// @module-tag long
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { addKey } from '../peers/people/administrators.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { PATIENCE_MS } from '../../../packages/gateway/src/testing/patience.ts'

const root = new URL('../../../', import.meta.url)
const guide = readFileSync(new URL('docs/guides/administration.md', root), 'utf8')
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text)
const DEMO = join(import.meta.dirname, '../../../packages/gateway/src/demo/demo-server.ts')

test('the commands of the guide do what they say', async () => {
  const wire = { kind: 'process' as const, command: process.execPath, args: [DEMO], environment: {} }
  await using gateway = await openGateway({ connections: [{ alias: 'demo', wire }] })
  const before = await toolNames(gateway, gateway.url)
  const script = ['set -euo pipefail', ...blocks.flatMap((text) => [text, 'echo'])].join('\n')
  const { stdout, stderr } = await promisify(execFile)('bash', ['--noprofile', '--norc', '-c', script], {
    timeout: PATIENCE_MS,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      TOOLWAY_URL: gateway.address,
      TOOLWAY_KEY: await addKey(gateway, { role: 'platform_admin' }),
    },
  })
  expect(blocks.length).toBeGreaterThan(6)
  expect(stderr).toBe('')
  expect(stdout).toContain('"slug":"acme"')
  expect(stdout).toContain('"requests_per_minute":300')
  expect(stdout).toContain('"header_names":["Authorization"]')
  expect(stdout).toContain('{"changed":1,"enabled":1,')
  expect(stdout).toContain('"ok":true')
  // At its end everything is as it was.
  expect(await toolNames(gateway, gateway.url)).toEqual(before)
})
