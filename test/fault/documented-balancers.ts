/**
 * nginx and Envoy with the settings of the guide for replicas, taken from its text: what the guide says is what is tried. Envoy sends
 * nothing to a gateway whose health check fails, also where it is the only one: its usual leniency would hide a check that is too strict.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface DocumentedBalancer extends AsyncDisposable {
  readonly address: string
}

export interface DocumentedBalancerParts {
  readonly kind: 'nginx' | 'envoy'
  readonly program: string
  readonly port: number
  /** Ports of the gateways on this machine. */
  readonly targets: readonly number[]
}

const GUIDE = join(import.meta.dirname, '../../docs/guides/replicas.md')

function found(text: string, form: RegExp): string {
  const [, part] = form.exec(text) ?? []
  if (part === undefined) throw new Error(`the guide for replicas does not contain ${String(form)}`)
  return part
}

/** The block of the guide, with the gateways of this machine, and how a server is given up as the guide says it further below. */
function nginx(guide: string, { port, targets }: DocumentedBalancerParts, folder: string): string {
  const failing = found(guide, /Set `(max_fails=\d+ fail_timeout=\d+s)`/)
  const servers = targets.map((target) => `server 127.0.0.1:${target} ${failing};`).join('\n')
  const block = found(guide, /```nginx\n(.*?)```/s)
    .replace(/(?: *server 10\.[\d.:]+;\n)+/, `${servers}\n`)
    .replace('server {\n', `server {\n    listen 127.0.0.1:${port};\n`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/t;`)
  return `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 512; }
http { access_log off; ${temporary.join(' ')}
${block} }`
}

function envoy(guide: string, { port, targets }: DocumentedBalancerParts): string {
  const type = (name: string) => `"@type": type.googleapis.com/envoy.extensions.filters.${name}`
  const at = (place: number) => `address: { socket_address: { address: 127.0.0.1, port_value: ${place} } }`
  return `
static_resources:
  listeners:
  - ${at(port)}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          ${type('network.http_connection_manager.v3.HttpConnectionManager')}
          stat_prefix: all
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes:
              - match: { prefix: "/" }
                route: { cluster: toolway, ${found(guide, /`(timeout: 0s)`/)}, ${found(guide, /`(hash_policy: \[.*?\])`/)} }
          http_filters:
          - name: envoy.filters.http.router
            typed_config: { ${type('http.router.v3.Router')} }
  clusters:
  - name: toolway
    type: STATIC
    connect_timeout: 2s
    ${found(guide, /`(lb_policy: RING_HASH)`/)}
    common_lb_config: { healthy_panic_threshold: { value: 0 } }
    ${found(guide, /`(health_checks: \[.*?\])`/)}
    load_assignment:
      cluster_name: toolway
      endpoints:
      - lb_endpoints:
${targets.map((target) => `        - endpoint: { ${at(target)} }`).join('\n')}
`
}

/** Resolves once it has found a gateway that it sends requests to. */
export async function startDocumentedBalancer(parts: DocumentedBalancerParts): Promise<DocumentedBalancer> {
  const { kind, program, port } = parts
  const folder = await mkdtemp(join(tmpdir(), `toolway-${kind}-`))
  const file = join(folder, kind === 'nginx' ? 'balancer.conf' : 'balancer.yaml')
  const guide = await readFile(GUIDE, 'utf8')
  await writeFile(file, kind === 'nginx' ? nginx(guide, parts, folder) : envoy(guide, parts))
  const words =
    kind === 'nginx'
      ? ['-p', folder, '-e', 'stderr', '-c', file]
      : ['-c', file, '--disable-hot-restart', '--concurrency', '1', '--log-level', 'error']
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder })
  let complaints = ''
  child.stderr.on('data', (text: Buffer) => (complaints = (complaints + text.toString()).slice(-4_000)))
  const closed = once(child, 'close')
  const address = `http://127.0.0.1:${port}`
  const sends = () =>
    fetch(`${address}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await sends())) {
    if (child.exitCode !== null) throw new Error(`${kind} ended: ${complaints}`)
    await sleep(50)
  }
  return {
    address,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await closed
      await rm(folder, { recursive: true, force: true })
    },
  }
}
