/**
 * `scim2-tester` (PyPI, pinned with what it needs), which compares a service with RFC 7643 and 7644: it must report no failure. Where it
 * cannot be installed, the test says so and checks nothing.
 */
// @module-tag long
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { runQuietly } from './run-quietly.ts'
import { tokenFor } from './scim-client.ts'

const PINS = ['scim2-tester==0.5.2', 'scim2-client==0.13.2', 'scim2-models==0.12.3', 'httpx2==2.16.2']

const SCRIPT = `
import json, sys
from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server
client = SyncSCIMClient(Client(base_url=sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2]}, timeout=60))
client.discover()
results = check_server(client, raise_exceptions=False)
bad = [[r.title, r.reason] for r in results if r.status in (Status.ERROR, Status.CRITICAL)]
print(json.dumps({"all": len(results), "bad": bad}))
`

test('C-ID-05: scim2-tester reports no failure', async ({ annotate }) => {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-scim-'))
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const python = join(folder, 'bin', 'python')
  const made = spawnSync('python3', ['-m', 'venv', folder])
  const installed = made.status === 0 ? spawnSync(python, ['-m', 'pip', 'install', '--quiet', ...PINS]) : made
  if (installed.status !== 0) {
    await annotate('scim2-tester cannot be had here: it needs Python with venv, pip and PyPI. Nothing was checked.')
    return
  }
  const gateway = cleanup.use(await openGateway({}))
  const token = await tokenFor(createAsk(gateway, await addKey(gateway, { role: 'platform_admin' })), 'default')
  const output = await runQuietly(python, ['-c', SCRIPT, `${gateway.address}/scim/v2/default`, token])
  const report = JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as { all: number; bad: unknown[] }
  await annotate(`${report.all} checks`)
  expect(report.bad).toEqual([])
  expect(report.all).toBeGreaterThan(50)
})
