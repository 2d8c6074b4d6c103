/**
 * Real balancers from Debian: nginx and HAProxy, round robin or by the header that the guide names, with the settings of the
 * guide. CI installs nginx alone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type BalancerKind = 'nginx' | 'haproxy'
export type Affinity = 'none' | 'authorization'

export interface RealBalancer extends AsyncDisposable {
  readonly address: string
}

export interface BalancerParts {
  readonly kind: BalancerKind
  readonly affinity: Affinity
  readonly port: number
  /** Ports of the gateways on this machine. */
  readonly targets: readonly number[]
}

/** No connection to a gateway is kept: one that ends between two requests would lose the second. */
const nginx = ({ affinity, port, targets }: BalancerParts, folder: string) => `
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr crit;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 2048; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  upstream toolway {
    ${affinity === 'authorization' ? 'hash $http_authorization consistent;' : ''}
    ${targets.map((target) => `server 127.0.0.1:${target} max_fails=1 fail_timeout=1s;`).join('\n    ')}
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 16m;
    location / {
      proxy_pass http://toolway;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`

const haproxy = ({ affinity, port, targets }: BalancerParts) => `
global
  maxconn 2000
defaults
  mode http
  option forwardfor
  option redispatch
  retries 3
  retry-on conn-failure
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout tunnel 1h
frontend all
  bind 127.0.0.1:${port}
  http-request set-header X-Forwarded-Proto http
  default_backend toolway
backend toolway
  balance ${affinity === 'authorization' ? 'hdr(Authorization)\n  hash-type consistent' : 'roundrobin'}
  option httpchk
  http-check send meth GET uri /health/ready ver HTTP/1.1 hdr Host localhost
  option http-server-close
${targets.map((target) => `  server g${target} 127.0.0.1:${target} check inter 500ms fall 1 rise 1`).join('\n')}
`

export async function startRealBalancer(parts: BalancerParts): Promise<RealBalancer> {
  const { kind, port } = parts
  const folder = await mkdtemp(join(tmpdir(), `toolway-${kind}-`))
  const file = join(folder, 'balancer.conf')
  await writeFile(file, kind === 'nginx' ? nginx(parts, folder) : haproxy(parts))
  const words = kind === 'nginx' ? ['-p', folder, '-e', 'stderr', '-c', file] : ['-db', '-f', file]
  const child = spawn(kind, words, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder })
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-4_000)))
  const closed = once(child, 'close')
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${kind} ended: ${said}`)
    await sleep(20)
  }
  return {
    address: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await closed
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const opened = once(socket, 'connect').then(
    () => true,
    () => false,
  )
  const open = await opened
  socket.destroy()
  return open
}
