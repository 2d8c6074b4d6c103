/** Tests that the guide is correct: its programs run as written, and its table of close codes matches the codes that are sent. */
// @module-tag long
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLOSE_CODES } from '../../../packages/gateway/src/http/persistent/close-codes.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { probeProcess } from '../peers/servers/real-servers.ts'
import { PATIENCE_MS } from '../../../packages/gateway/src/testing/patience.ts'

const root = new URL('../../../', import.meta.url)
const guide = readFileSync(new URL('docs/guides/transports.md', root), 'utf8')
const programs = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text = '']) => text)

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway({ connections: [{ alias: 'child', wire: probeProcess('child') }] })
})
afterAll(() => gateway[Symbol.asyncDispose]())

test('the guide has a program for each way', () => {
  expect(programs).toHaveLength(3)
})

test.each(programs)('a program of the guide lists the tools and ends by itself: %#', async (program) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(root),
    env: { TOOLWAY_URL: gateway.address, TOOLWAY_KEY: gateway.key },
    timeout: PATIENCE_MS,
  })
  expect(stdout).toContain('child__echo')
})

test('the guide names every close code, and no other', () => {
  const said = [...guide.matchAll(/^\| (\d{4}) \| (.*) \|$/gm)].map(([, code, means]) => ({
    code: Number(code),
    means,
  }))
  expect(said).toEqual(Object.values(CLOSE_CODES).map(({ code, means }) => ({ code, means })))
})
