/**
 * The chart in a real API server of Kubernetes, in namespaces that admit only Pods of the strictest kind: every object is admitted, the
 * controllers make the Pods, an upgrade and a removal work, and the account of the gateway may do what the driver of Pods asks for.
 * `npm run counterparts -- helm kubernetes` builds what this needs; a machine without it says so. No Pod runs: there are no nodes.
 */
// @module-tag long
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { createCluster } from '../../packages/gateway/src/upstreams/children/sandbox/kubernetes/cluster.ts'
import { podOf } from '../../packages/gateway/src/upstreams/children/sandbox/kubernetes/pod.ts'
import { createKubernetesDriver } from '../../packages/gateway/src/upstreams/children/sandbox/kubernetes-driver.ts'
import { findCounterpart } from '../../tools/counterparts.ts'
import { hasApiServer, startApiServer, type ApiServer } from './peers/api-server.ts'

const CHART = join(import.meta.dirname, '../../deploy/helm/toolway')
const helm = findCounterpart('helm')
const runs = helm !== undefined && hasApiServer
if (!runs)
  console.warn('No API server on this machine (npm run counterparts -- helm kubernetes): the chart is not installed.')

const files = (await readdir(join(CHART, 'ci'))).map((file) => file.replace('-values.yaml', ''))
const exec = promisify(execFile)

interface Named {
  readonly metadata: { name: string; namespace?: string }
}
interface StatefulSet extends Named {
  readonly spec: { replicas: number }
}
interface List<Item> {
  readonly items: readonly Item[]
}

describe.runIf(runs)('in an API server', () => {
  let server: ApiServer
  beforeAll(async () => {
    server = await startApiServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const addNamespace = (name: string) =>
    server.ask('POST', '/api/v1/namespaces', {
      metadata: {
        name,
        labels: { 'pod-security.kubernetes.io/enforce': 'restricted', 'pod-security.kubernetes.io/warn': 'restricted' },
      },
    })
  /** Helm, whose warnings are those of the server; the definition of a ServiceMonitor belongs to another product. */
  const run = (namespace: string, ...words: string[]) =>
    exec(helm ?? '', ['--kubeconfig', server.kubeconfig, '--namespace', namespace, ...words])
  const valuesOf = (name: string) => [
    '-f',
    join(CHART, 'ci', `${name}-values.yaml`),
    '--set',
    'metrics.serviceMonitor.enabled=false',
  ]
  const namesOf = async (path: string) =>
    (await server.ask<List<Named>>('GET', path)).items.map((item) => item.metadata.name)

  test.for(files)('with the values %s every object is admitted, and every Pod is made', async (values) => {
    const name = `chart-${values}`
    await addNamespace(name)
    if (values === 'everything') {
      await addNamespace('toolway-stdio')
      await server.ask('POST', '/apis/node.k8s.io/v1/runtimeclasses', {
        metadata: { name: 'gvisor' },
        handler: 'runsc',
      })
    }
    const { stderr } = await run(name, 'install', 'run', CHART, '--no-hooks', ...valuesOf(values))
    expect(stderr).toBe('')
    const { items: sets } = await server.ask<List<StatefulSet>>('GET', `/apis/apps/v1/namespaces/${name}/statefulsets`)
    const pods = sets.flatMap(({ metadata, spec }) =>
      Array.from({ length: spec.replicas }, (_, index) => `${metadata.name}-${index}`),
    )
    expect(pods.length).toBeGreaterThan(0)
    // A Job of ours that nothing can run is made by hand, as the hooks of Helm would wait for its end.
    const { stdout: hooks } = await run(name, 'get', 'hooks', 'run')
    for (const document of parseAllDocuments(hooks)) {
      const job = document.toJS() as Named | null
      if (job === null) continue
      await server.ask('POST', `/apis/batch/v1/namespaces/${name}/jobs`, job)
      const ofJob = `/api/v1/namespaces/${name}/pods?labelSelector=job-name%3D${job.metadata.name}`
      await expect.poll(() => namesOf(ofJob)).toHaveLength(1)
    }
    await expect.poll(() => namesOf(`/api/v1/namespaces/${name}/pods`)).toEqual(expect.arrayContaining(pods))
  })

  test('an upgrade changes a setting, and a removal leaves the volumes alone', async () => {
    await addNamespace('life')
    await run('life', 'install', 'run', CHART, '--no-hooks', ...valuesOf('single'))
    const volumes = () => namesOf('/api/v1/namespaces/life/persistentvolumeclaims')
    await expect.poll(volumes).toEqual(['data-run-toolway-gateway-0'])
    await run('life', 'upgrade', 'run', CHART, '--no-hooks', ...valuesOf('single'), '--set', 'settings.LOG_LEVEL=debug')
    const { data } = await server.ask<{ data: object }>('GET', '/api/v1/namespaces/life/configmaps/run-toolway')
    expect(data).toMatchObject({ LOG_LEVEL: 'debug' })
    await run('life', 'uninstall', 'run')
    expect(await namesOf('/apis/apps/v1/namespaces/life/statefulsets')).toEqual([])
    expect(await volumes()).toEqual(['data-run-toolway-gateway-0'])
  })

  test('the account of a gateway may make the Pod of a stdio server in its namespace, and nothing elsewhere', async () => {
    for (const name of ['gateways', 'stdio']) await addNamespace(name)
    const jobs = ['--set', 'stdio.mode=jobs,stdio.namespace=stdio']
    await run('gateways', 'install', 'run', CHART, '--no-hooks', ...valuesOf('single'), ...jobs)
    const { status } = await server.ask<{ status: { token: string } }>(
      'POST',
      '/api/v1/namespaces/gateways/serviceaccounts/run-toolway/token',
      { spec: {} },
    )
    const account = await mkdtemp(join(tmpdir(), 'account-'))
    onTestFinished(() => rm(account, { recursive: true }))
    await writeFile(join(account, 'token'), status.token)
    await writeFile(join(account, 'namespace'), 'stdio')
    await exec('cp', [server.authority, join(account, 'ca.crt')])
    const access = { server: server.address, account }
    await expect.poll(() => createKubernetesDriver(true, access).check()).toMatchObject({ ready: true })
    const launch = {
      ...{
        name: 'notes',
        command: 'node',
        args: [],
        env: {},
        cwd: '/data/notes',
        folder: '/data/notes',
        temporary: '/tmp/a',
      },
      ...{
        packageFolders: [],
        neededFolders: [],
        allowPaths: [],
        hiddenPaths: [],
        identities: new Map(),
        givenFiles: [],
        allowHosts: [],
      },
      ...{ network: 'none' as const, bounds: { memoryBytes: 268_435_456, processes: 100, fileBytes: 1_000_000 } },
    }
    const pod = podOf({ name: 'toolway-stdio-1', image: 'toolway', launch })
    const cluster = createCluster(access, 'stdio')
    expect((await cluster.create(pod)).metadata.name).toBe('toolway-stdio-1')
    expect(await cluster.list('toolway.dev/stdio=confined')).toHaveLength(1)
    await cluster.remove('toolway-stdio-1')
    expect(await cluster.list('toolway.dev/stdio=confined')).toEqual([])
    await expect(createCluster(access, 'gateways').create(pod)).rejects.toThrow('pods is forbidden')
  })
})
