/** The health checks that the chart, the images and the guides tell: which address, how often, and how long it may take. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface DocumentedProbe {
  readonly where: string
  readonly path: string
  /** Milliseconds. */
  readonly timeout: number
}

const ROOT = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFile(join(ROOT, file), 'utf8')

/** What Kubernetes takes where a probe says nothing. Seconds. */
const KUBERNETES_TIMEOUT = 1

export async function readDocumentedProbes(): Promise<DocumentedProbe[]> {
  const found = await Promise.all([chart(), images(), guide()])
  return found.flat()
}

async function chart(): Promise<DocumentedProbe[]> {
  const text = await textOf('deploy/helm/toolway/templates/stateful-set.yaml')
  const probes = text.matchAll(/(\w+Probe):\n\s+httpGet: \{ path: (\S+), port: http \}((?:\n\s+\w+: \d+)+)/g)
  return [...probes].map(([, name = '', path = '', settings = '']) => {
    const [, seconds = KUBERNETES_TIMEOUT] = /timeoutSeconds: (\d+)/.exec(settings) ?? []
    return { where: `the chart’s ${name}`, path, timeout: Number(seconds) * 1000 }
  })
}

async function images(): Promise<DocumentedProbe[]> {
  const files = ['deploy/image/Dockerfile', 'deploy/curatore/Dockerfile'] as const
  const checks = await Promise.all(
    files.map(async (file) => {
      const [, seconds] = /HEALTHCHECK .*--timeout=(\d+)s/.exec(await textOf(file)) ?? []
      return { where: file, path: '/health/ready', timeout: Number(seconds) * 1000 }
    }),
  )
  const [, seconds] =
    /\/health\/ready'\]\n\s+interval: \d+s\n\s+timeout: (\d+)s/.exec(await textOf('deploy/compose/roles.yaml')) ?? []
  return [...checks, { where: 'deploy/compose/roles.yaml', path: '/health/ready', timeout: Number(seconds) * 1000 }]
}

async function guide(): Promise<DocumentedProbe[]> {
  const text = await textOf('docs/guides/replicas.md')
  const forms = {
    'any balancer': /every 2 s or less, with a timeout of at least (\d+) s/,
    HAProxy: /`timeout check (\d+)s`/,
    Envoy: /health_checks: \[\{ timeout: (\d+)s/,
    Kubernetes: /`readinessProbe`: `\/health\/ready`, `periodSeconds: 2`, `timeoutSeconds: (\d+)`/,
  }
  return Object.entries(forms).map(([name, form]) => {
    const [, seconds] = form.exec(text) ?? []
    return { where: `the guide for ${name}`, path: '/health/ready', timeout: Number(seconds) * 1000 }
  })
}
