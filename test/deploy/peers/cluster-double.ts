/**
 * A double of the API of a cluster, as far as Pods of children need it, built from its description (Pods of core/v1, the WebSocket
 * subprotocol v5.channel.k8s.io of attach, statuses). A Pod's program really runs, as a process of this machine; nothing confines it.
 * It refuses what the API refuses: a wrong token (401), a Pod that is there (409) or is not (404), attaching before it runs (400).
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocketServer } from 'ws'
import { selfSigned } from '../../e2e/peers/authorities/self-signed.ts'

const TOKEN = 'token-of-the-service-account'
const NAMESPACE = 'stdio'
const [STDIN, STDOUT, STDERR, ERROR, CLOSE] = [0, 1, 2, 3, 255]

export interface PodDescription {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: {
    readonly automountServiceAccountToken: boolean
    readonly containers: readonly { readonly name: string; readonly command: readonly string[] }[]
  }
}
interface RunningPod {
  readonly description: PodDescription
  looks: number
  child?: ChildProcess
  exitCode?: number
}

export async function startCluster({ failing }: { failing?: string } = {}) {
  const { key, cert } = selfSigned()
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'))
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries({ token: TOKEN, 'ca.crt': cert, namespace: NAMESPACE }))
    await writeFile(join(folder, name), text)
  const pods = new Map<string, RunningPod>()
  const seen: PodDescription[] = []
  const removed: string[] = []

  const stateOf = (pod: RunningPod): object => {
    if (failing !== undefined) return { waiting: { reason: failing, message: 'as the test says' } }
    if (pod.exitCode !== undefined) return { terminated: { exitCode: pod.exitCode } }
    // Scheduling takes its time.
    return pod.looks > 1
      ? { running: { startedAt: '2026-11-25T12:00:00Z' } }
      : { waiting: { reason: 'ContainerCreating' } }
  }
  const shown = (pod: RunningPod) => ({
    ...pod.description,
    status: {
      phase: pod.exitCode === undefined ? 'Pending' : 'Succeeded',
      containerStatuses: [{ state: stateOf(pod) }],
    },
  })
  const status = (code: number, message: string) => ({
    code,
    body: { kind: 'Status', status: 'Failure', message, code },
  })

  function answer(asked: IncomingMessage, body: string): { code: number; body: object } {
    const url = new URL(asked.url ?? '/', 'https://localhost')
    const [, name = ''] = /^\/api\/v1\/namespaces\/stdio\/pods(?:\/([^/]+))?$/.exec(url.pathname) ?? []
    if (asked.headers.authorization !== `Bearer ${TOKEN}`) return status(401, 'Unauthorized')
    if (!url.pathname.startsWith('/api/v1/namespaces/stdio/pods')) return status(403, 'pods is forbidden')
    if (asked.method === 'POST') {
      const description = JSON.parse(body) as PodDescription
      if (pods.has(description.metadata.name)) return status(409, 'already exists')
      const pod = { description, looks: 0 }
      pods.set(description.metadata.name, pod)
      seen.push(description)
      return { code: 201, body: shown(pod) }
    }
    if (name === '') {
      const [label = '', value] = (url.searchParams.get('labelSelector') ?? '').split('=')
      const items = [...pods.values()].filter(({ description }) => description.metadata.labels[label] === value)
      return { code: 200, body: { kind: 'PodList', items: items.map(shown) } }
    }
    const pod = pods.get(name)
    if (pod === undefined) return status(404, `pods "${name}" not found`)
    if (asked.method === 'DELETE') {
      pod.child?.kill('SIGKILL')
      pods.delete(name)
      removed.push(name)
    } else pod.looks++
    return { code: 200, body: shown(pod) }
  }

  const server = createServer({ key, cert }, (asked, answering) => {
    let body = ''
    asked.on('data', (chunk: Buffer) => (body += chunk.toString()))
    asked.on('end', () => {
      const { code, body: said } = answer(asked, body)
      answering.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(said))
    })
  })
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered].find((one) => one === 'v5.channel.k8s.io') ?? false,
  })
  server.on('upgrade', (asked, socket, head) => {
    const url = new URL(asked.url ?? '/', 'https://localhost')
    const pod = pods.get(/\/pods\/([^/]+)\/attach$/.exec(url.pathname)?.[1] ?? '')
    const allowed = asked.headers.authorization === `Bearer ${TOKEN}` && url.searchParams.get('stdin') === 'true'
    if (pod === undefined || !allowed || pod.looks < 2) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    sockets.handleUpgrade(asked, socket, head, (client) => {
      const [program = '', ...args] = pod.description.spec.containers[0]?.command ?? []
      const child = spawn(program, args, { env: { PATH: process.env['PATH'] ?? '' }, stdio: 'pipe' })
      pod.child = child
      const tell = (channel: number, bytes: Buffer) => client.send(Buffer.concat([Buffer.from([channel]), bytes]))
      child.stdout.on('data', (bytes: Buffer) => tell(STDOUT, bytes))
      child.stderr.on('data', (bytes: Buffer) => tell(STDERR, bytes))
      child.stdin.on('error', () => undefined)
      client.on('message', (message: Buffer) => {
        if (message[0] === STDIN) child.stdin.write(message.subarray(1))
        else if (message[0] === CLOSE && message[1] === STDIN) child.stdin.end()
      })
      client.on('close', () => child.stdin.end())
      child.once('close', (code) => {
        pod.exitCode = code ?? 137
        tell(ERROR, Buffer.from(JSON.stringify({ status: 'Success' })))
        client.close(1000)
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    access: { server: `https://127.0.0.1:${port}`, account: folder },
    pods,
    seen,
    removed,
    async [Symbol.asyncDispose]() {
      for (const { child } of pods.values()) child?.kill('SIGKILL')
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true })
    },
  }
}
