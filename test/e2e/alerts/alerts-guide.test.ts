/** Tests that the guide to alerts and webhooks is correct: its commands run as written, one after the other. */
// @module-tag long
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ALERT_KINDS } from '../../../packages/contract/src/admin/index.ts'
import { PAUSES } from '../../../packages/gateway/src/features/webhooks/deliver-webhooks.job.ts'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey } from '../peers/people/administrators.ts'
import { PATIENCE_MS } from '../../../packages/gateway/src/testing/patience.ts'

const guide = readFileSync(new URL('../../../docs/guides/alerts-and-webhooks.md', import.meta.url), 'utf8')
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text)

test('the commands of the guide do what they say, and it names every kind of alert', async () => {
  await using gateway = await startTestGateway()
  const folder = await mkdtemp(join(tmpdir(), 'toolway-guide-'))
  try {
    const script = ['set -euo pipefail', ...blocks.flatMap((text) => [text, 'echo'])].join('\n')
    const { stdout, stderr } = await promisify(execFile)('bash', ['--noprofile', '--norc', '-c', script], {
      cwd: folder,
      timeout: PATIENCE_MS,
      env: {
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
        TOOLWAY_URL: gateway.address,
        TOOLWAY_KEY: await addKey(gateway, { role: 'platform_admin' }),
      },
    })
    expect(blocks).toHaveLength(6)
    expect(stderr.replace(/^curl: \(28\).*\n/, '')).toBe('')
    expect(stdout).toContain('{"delivered":true,"status":204,"problem":null}')
    expect(await readFile(join(folder, 'told.txt'), 'utf8')).toContain('"type":"webhook.test"')
    expect(stdout).toContain(': open')
    const kinds = [...guide.matchAll(/^\| `(\w+\.\w+)` \|/gm)].map(([, kind]) => kind)
    expect(kinds).toEqual([...ALERT_KINDS])
    expect(PAUSES).toEqual([5, 60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
