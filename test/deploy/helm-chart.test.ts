/**
 * The Helm chart, as Helm renders it: linted, rendered with each file of `ci/`, held against the schemas of the oldest and the newest
 * Kubernetes, and read for what a platform team asks of it. Helm, kubeconform and the schemas come from `npm run counterparts` and
 * `npm run counterparts:schemas`; a machine without them says so and checks what it can.
 */
// @module-tag long
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { describe, expect, test } from 'vitest'
import { SETTINGS } from '../../packages/gateway/src/config.ts'
import { findCounterpart } from '../../tools/counterparts.ts'
import { hasMonitorSchema, KUBERNETES_VERSIONS, schemaLocation } from '../../tools/kubernetes-schemas.ts'

const ROOT = join(import.meta.dirname, '../..')
const CHART = join(ROOT, 'deploy/helm/toolway')
const helm = findCounterpart('helm')
const kubeconform = findCounterpart('kubeconform')
if (helm === undefined || kubeconform === undefined)
  console.warn('No helm or kubeconform on this machine (npm run counterparts): the chart is not rendered here.')

const exec = promisify(execFile)
const valuesFile = (name: string) => join(CHART, 'ci', `${name}-values.yaml`)
const files = (await readdir(join(CHART, 'ci'))).map((file) => file.replace('-values.yaml', ''))

interface Container {
  readonly image: string
  readonly args?: readonly string[]
  readonly env: readonly { name: string; value?: string }[]
  readonly envFrom?: readonly { configMapRef: { name: string } }[]
  readonly securityContext: object
  readonly startupProbe: { httpGet: object }
  readonly readinessProbe: { httpGet: object }
  readonly livenessProbe: { httpGet: object }
}
interface Pod {
  readonly metadata: { annotations?: Record<string, string>; labels: Record<string, string> }
  readonly spec: {
    readonly containers: readonly Container[]
    readonly securityContext: object
    readonly terminationGracePeriodSeconds?: number
    readonly enableServiceLinks: boolean
    readonly topologySpreadConstraints?: readonly object[]
    readonly volumes: readonly { name: string; projected?: { sources: readonly { secret: { name: string } }[] } }[]
  }
}
interface KubernetesObject {
  readonly kind: string
  readonly metadata: { name: string; annotations?: Record<string, string> }
  readonly data?: Record<string, string>
  readonly spec: {
    readonly replicas?: number
    readonly template: Pod
    readonly rules: readonly { http: { paths: readonly Path[] } }[]
    readonly metrics: readonly { pods: { metric: { name: string } } }[]
  }
}
interface Path {
  readonly path: string
  readonly backend: { service: { name: string } }
}

async function render(values: string, ...more: string[]): Promise<KubernetesObject[]> {
  const words = ['template', 'run', CHART, '--kube-version', KUBERNETES_VERSIONS[0], '-f', values, ...more]
  const { stdout } = await exec(helm ?? 'helm', words)
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((one) => one !== null)
}
const ofKind = (all: readonly KubernetesObject[], kind: string) => all.filter((one) => one.kind === kind)
const podsOf = (all: readonly KubernetesObject[]) =>
  [...ofKind(all, 'StatefulSet'), ...ofKind(all, 'Job')].map(({ spec }) => spec.template)

async function refusal(values: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chart-'))
  try {
    await writeFile(join(folder, 'values.yaml'), values)
    return await render(join(folder, 'values.yaml')).then(
      () => '',
      (thrown: unknown) => (thrown as { stderr: string }).stderr,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('the chart says what chart-testing asks of its description', async () => {
  const chart = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8')) as Record<string, unknown>
  const { version } = JSON.parse(await readFile(join(ROOT, 'packages/gateway/package.json'), 'utf8')) as {
    version: string
  }
  expect(chart).toMatchObject({ apiVersion: 'v2', name: 'toolway', type: 'application', appVersion: version })
  expect(chart['version']).toMatch(/^\d+\.\d+\.\d+$/)
  for (const name of ['description', 'home', 'icon', 'kubeVersion']) expect(chart[name]).toEqual(expect.any(String))
  // The picture of the repository, at the address that it has there.
  const [, icon = ''] =
    /^https:\/\/raw\.githubusercontent\.com\/toolway\/toolway\/main\/(.+)$/.exec(String(chart['icon'])) ?? []
  expect(await readFile(join(ROOT, icon), 'utf8')).toMatch(/^<svg /)
  for (const name of ['sources', 'maintainers', 'keywords']) expect(chart[name]).toContainEqual(expect.anything())
})

describe.runIf(helm !== undefined)('the chart', () => {
  test.for(files)('with the values %s passes lint, and its objects the schemas of Kubernetes', async (name) => {
    const { stdout } = await exec(helm ?? '', ['lint', CHART, '--strict', '-f', valuesFile(name)])
    expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed')
    for (const version of KUBERNETES_VERSIONS) {
      const location = schemaLocation(version)
      if (location === undefined || kubeconform === undefined) {
        console.warn(`No schemas of Kubernetes ${version} (npm run counterparts:schemas): objects are not checked.`)
        continue
      }
      const words = ['template', 'run', CHART, '--kube-version', version, '-f', valuesFile(name)]
      const rendered = exec(helm ?? '', words)
      const skip = hasMonitorSchema(version) ? [] : ['-skip', 'ServiceMonitor']
      const checked = exec(kubeconform, ['-strict', '-summary', ...skip, '-schema-location', location])
      checked.child.stdin?.end((await rendered).stdout)
      expect((await checked).stdout).toMatch(/Valid: [1-9]\d*, Invalid: 0, Errors: 0, Skipped: [01]/)
    }
  })

  test('settings that the chart makes are settings of the gateway', async () => {
    for (const name of files) {
      const all = await render(valuesFile(name))
      const made = ofKind(all, 'ConfigMap').flatMap(({ data = {} }) => Object.keys(data))
      const given = podsOf(all).flatMap(({ spec }) => spec.containers.flatMap(({ env }) => env.map((one) => one.name)))
      for (const setting of [...made, ...given].filter((one) => one !== 'toolway.yaml'))
        expect(Object.keys(SETTINGS), `${name}: ${setting}`).toContain(setting.replace(/_FILE$/, ''))
    }
  })

  test('every pod runs confined, without a secret in its description', async () => {
    for (const name of files) {
      for (const { spec } of podsOf(await render(valuesFile(name)))) {
        expect(spec).toMatchObject({
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
        })
        for (const { securityContext, env } of spec.containers) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            privileged: false,
            capabilities: { drop: ['ALL'] },
          })
          for (const { name: variable } of env) expect(variable).not.toMatch(/^(?:DATABASE_URL|\w+_KEY|REDIS_URL)$/)
        }
      }
    }
  })

  test('S3-DEP-01: two frontends and three backends, ingress / and /api, probes, scrape annotations, ConfigMap and Secret; Compose alike', async () => {
    const all = await render(valuesFile('sagemcp'))
    const sets = new Map(ofKind(all, 'StatefulSet').map((one) => [one.metadata.name, one.spec]))
    expect([...sets].map(([name, { replicas }]) => [name, replicas])).toEqual(
      expect.arrayContaining([
        ['run-toolway-frontend', 2],
        ['run-toolway-backend', 3],
      ]),
    )
    const [ingress] = ofKind(all, 'Ingress')
    const paths = new Map(
      ingress?.spec.rules.flatMap(({ http }) => http.paths).map((one) => [one.path, one.backend.service.name]),
    )
    expect([paths.get('/'), paths.get('/api')]).toEqual(['run-toolway-frontend', 'run-toolway-backend'])
    expect(ingress?.metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
      'nginx.ingress.kubernetes.io/proxy-next-upstream': 'off',
    })
    for (const { template } of sets.values()) {
      const [container] = template.spec.containers
      expect(container).toMatchObject({
        startupProbe: { httpGet: { path: '/health/startup' } },
        readinessProbe: { httpGet: { path: '/health/ready' } },
        livenessProbe: { httpGet: { path: '/health/live' } },
        envFrom: [{ configMapRef: { name: 'run-toolway' } }],
      })
      expect(template.metadata.annotations).toMatchObject({
        'prometheus.io/scrape': 'true',
        'prometheus.io/path': '/metrics',
        'prometheus.io/port': '8787',
      })
      expect(template.spec.terminationGracePeriodSeconds).toBe(90)
      expect(template.spec.topologySpreadConstraints).toHaveLength(2)
      const secrets = template.spec.volumes.find(({ name }) => name === 'secrets')?.projected?.sources
      expect(secrets?.map(({ secret }) => secret.name)).toEqual(['toolway', 'toolway', 'toolway'])
    }
    expect(ofKind(all, 'PodDisruptionBudget')).toHaveLength(2)
    expect(ofKind(all, 'Job')[0]?.spec.template.spec.containers[0]?.args).toEqual(['migrate'])
    await expectComposeAlike()
  })

  test('gateways are scaled by the calls that are under way in them', async () => {
    const [scaler] = ofKind(await render(valuesFile('everything')), 'HorizontalPodAutoscaler')
    expect(scaler?.spec.metrics[0]?.pods.metric.name).toBe('toolway_calls_in_flight')
  })

  test('what cannot work is refused with what to do', async () => {
    expect(await refusal('{}')).toContain('Several gateways share DATABASE_URL')
    expect(await refusal('groups: { gateway: { replicas: 1 } }\ningress: { enabled: true }')).toContain('ingress.host')
    expect(await refusal('groups: { gateway: { replicas: 1, rolls: [web] } }')).toContain("'rolls' not allowed")
    expect(await refusal('groups: { gateway: { replicas: 1 } }\nstdio: { mode: jobs }')).toContain('stdio.namespace')
    expect(await refusal('settings: { MCP_ENCRYPTION_KEY: abc }')).toContain('MCP_ENCRYPTION_KEY')
  })
})

/** `deploy/compose/roles.yaml`: the same shape for machines without Kubernetes. */
async function expectComposeAlike(): Promise<void> {
  const text = await readFile(join(ROOT, 'deploy/compose/roles.yaml'), 'utf8')
  const { services } = parse(text, { merge: true, logLevel: 'error' }) as {
    services: Record<string, { labels?: object; environment?: Record<string, string> }>
  }
  const withRoles = (wanted: string) =>
    Object.values(services).filter(({ environment }) => environment?.['TOOLWAY_ROLES'] === wanted)
  const [frontends, backends] = [withRoles('web'), withRoles('api,mcp')]
  expect([frontends.length, backends.length]).toEqual([2, 3])
  for (const { labels } of [...frontends, ...backends])
    expect(labels).toMatchObject({ 'prometheus.io/scrape': 'true', 'prometheus.io/path': '/metrics' })
  const balancer = await readFile(join(ROOT, 'deploy/compose/balancer.conf'), 'utf8')
  expect(balancer).toMatch(/location \/ /)
  expect(balancer).toMatch(/location ~ \^\/\((?:\w+\|)*api\|/)
}
