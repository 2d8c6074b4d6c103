/**
 * The API of the cluster that the gateway runs in, as far as the Pods of children need it: made, looked at, attached to, removed. The
 * account is that of the gateway's Pod, read anew for each request because the cluster renews it.
 *
 * Attach speaks the WebSocket subprotocol v5.channel.k8s.io: each message begins with the number of its channel.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { WebSocket } from 'ws'
import { z } from 'zod'

export interface ClusterAccess {
  readonly server: string
  /** Folder with `token`, `ca.crt` and `namespace`. */
  readonly account: string
}

export const IN_CLUSTER: ClusterAccess = {
  server: 'https://kubernetes.default.svc',
  account: '/var/run/secrets/kubernetes.io/serviceaccount',
}

const REQUEST_MS = 15_000
const MOST_BYTES = 4 * 1024 * 1024
const ATTACH = 'v5.channel.k8s.io'

const State = z.object({
  waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
  running: z.object({}).optional(),
  terminated: z.object({ exitCode: z.number(), reason: z.string().optional() }).optional(),
})
export const Pod = z.object({
  metadata: z.object({ name: z.string() }),
  status: z.object({
    phase: z.string().optional(),
    reason: z.string().optional(),
    containerStatuses: z.array(z.object({ state: State })).optional(),
  }),
})
export type Pod = z.output<typeof Pod>
const Pods = z.object({ items: z.array(Pod) })

export class ClusterRefused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Cluster = ReturnType<typeof createCluster>

export const namespaceOf = ({ account }: ClusterAccess): string => readFileSync(`${account}/namespace`, 'utf8').trim()

export function createCluster({ server, account }: ClusterAccess, namespace: string) {
  const pods = `/api/v1/namespaces/${namespace}/pods`
  const access = () => ({
    ca: readFileSync(`${account}/ca.crt`),
    headers: { authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8').trim()}` },
  })

  function ask(method: string, path: string, body?: object): Promise<unknown> {
    const { ca, headers } = access()
    return new Promise((resolve, reject) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const sent = request(
        new URL(path, server),
        { method, ca, headers: { ...headers, ...type, accept: 'application/json' }, timeout: REQUEST_MS, agent: false },
        (answer) => {
          const chunks: Buffer[] = []
          let bytes = 0
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length
            if (bytes > MOST_BYTES) answer.destroy(new Error('the cluster’s response is too large'))
            else chunks.push(chunk)
          })
          answer.on('error', reject)
          answer.on('end', () => {
            const status = answer.statusCode ?? 0
            const text = Buffer.concat(chunks).toString('utf8')
            if (status < 300) resolve(JSON.parse(text))
            else reject(new ClusterRefused(status, messageIn(text, status)))
          })
        },
      )
      sent.on('timeout', () => sent.destroy(new Error('the cluster did not respond in time')))
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  return {
    create: async (pod: object): Promise<Pod> => Pod.parse(await ask('POST', pods, pod)),
    find: async (name: string): Promise<Pod> => Pod.parse(await ask('GET', `${pods}/${name}`)),
    list: async (label: string): Promise<Pod[]> =>
      Pods.parse(await ask('GET', `${pods}?limit=100&labelSelector=${encodeURIComponent(label)}`)).items,
    /** At once; one that is gone already is no error. */
    remove: (name: string): Promise<void> =>
      ask('DELETE', `${pods}/${name}?gracePeriodSeconds=0`).then(
        () => undefined,
        (thrown: unknown) => {
          if (!(thrown instanceof ClusterRefused) || thrown.status !== 404) throw thrown
        },
      ),
    attach(name: string, container: string): WebSocket {
      const { ca, headers } = access()
      const query = `container=${container}&stdin=true&stdout=true&stderr=true&tty=false`
      const url = new URL(`${pods}/${name}/attach?${query}`, server.replace(/^https/, 'wss'))
      return new WebSocket(url, [ATTACH], { ca, headers, handshakeTimeout: REQUEST_MS, perMessageDeflate: false })
    },
  }
}

function messageIn(text: string, status: number): string {
  const parsed = z.object({ message: z.string() }).safeParse(parse(text))
  return parsed.success ? parsed.data.message.slice(0, 500) : `the cluster responded with HTTP ${status}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
