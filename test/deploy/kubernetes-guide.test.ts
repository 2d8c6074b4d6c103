/**
 * The first installation of the guide for Kubernetes, its own commands as they stand there, in a real API server: kubectl makes the
 * namespace and the Secret, Helm installs the chart with the guide's values. `npm run counterparts -- helm kubernetes` builds what
 * this needs. Without nodes no Pod starts, so nothing is waited for and the migration, which a hook waits for, is left out.
 */
// @module-tag long
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findCounterpart } from '../../tools/counterparts.ts'
import { blocksOf, readGuide } from '../cli/guide-blocks.ts'
import { hasApiServer, startApiServer } from './peers/api-server.ts'

const ROOT = join(import.meta.dirname, '../..')
const programs = { helm: findCounterpart('helm'), kubectl: findCounterpart('kubectl') }
const runs = Object.values(programs).every(Boolean) && hasApiServer
if (!runs)
  console.warn('No API server on this machine (npm run counterparts -- helm kubernetes): the guide is not followed.')

const sectionOf = (guide: string, name: string): string => guide.split(`\n## ${name}\n`)[1]?.split('\n## ')[0] ?? ''

interface Pod {
  readonly metadata: { name: string }
  readonly spec: {
    containers: readonly { image: string; env?: readonly { name: string; value?: string }[] }[]
    volumes: readonly { secret?: { secretName?: string }; projected?: { sources: readonly object[] } }[]
  }
}

describe.runIf(runs)('the guide', () => {
  test('the commands of the first installation work as they stand', async () => {
    await using server = await startApiServer()
    const folder = await mkdtemp(join(tmpdir(), 'guide-'))
    await using parts = new AsyncDisposableStack()
    parts.defer(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'bin'))
    for (const [name, file] of Object.entries(programs)) await symlink(file ?? '', join(folder, 'bin', name))
    await symlink(join(ROOT, 'deploy'), join(folder, 'deploy'))
    const env = {
      PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
      HOME: folder,
      KUBECONFIG: server.kubeconfig,
    }
    const shell = (script: string) =>
      promisify(execFile)('bash', ['-euc', script.replaceAll(' --wait', ' --no-hooks')], { cwd: folder, env })

    const section = sectionOf(await readGuide('kubernetes.md'), 'First installation')
    const [, values = ''] = /```yaml\n([^`]*)```/.exec(section) ?? []
    const [secret = '', install = '', ...more] = blocksOf(section)
    expect(more).toEqual([])
    await writeFile(join(folder, 'values.yaml'), values)
    await shell(secret)
    const { stdout } = await shell(install)
    expect(stdout).toContain('STATUS: deployed')

    const kept = await server.ask<{ data: Record<string, string> }>('GET', '/api/v1/namespaces/toolway/secrets/toolway')
    const inside = (name: string) => Buffer.from(kept.data[name] ?? '', 'base64').toString()
    expect(inside('vault-key')).toMatch(/^[0-9a-f]{64}$/)
    expect(inside('database-url')).toMatch(/^postgres:/)

    const { spec } = await server.ask<{ spec: object }>(
      'GET',
      '/apis/networking.k8s.io/v1/namespaces/toolway/ingresses/toolway',
    )
    expect(spec).toMatchObject({
      ingressClassName: 'nginx',
      rules: [{ host: 'tools.example.com' }],
      tls: [{ hosts: ['tools.example.com'], secretName: 'tools-tls' }],
    })

    const pods = () =>
      server.ask<{ items: readonly Pod[] }>('GET', '/api/v1/namespaces/toolway/pods').then(({ items }) => items)
    await expect.poll(pods).toMatchObject([{ metadata: { name: 'toolway-gateway-0' } }, {}])
    const [pod] = await pods()
    const [container] = pod?.spec.containers ?? []
    expect(container?.image).toMatch(/^registry\.example\.com\/toolway:/)
    const said = Object.fromEntries(container?.env?.map(({ name, value }) => [name, value]) ?? [])
    expect(Object.keys(said)).toEqual(expect.arrayContaining(['DATABASE_URL_FILE', 'MCP_ENCRYPTION_KEY_FILE']))
    expect(JSON.stringify(pod?.spec)).not.toContain('PASSWORD')
  })
})
