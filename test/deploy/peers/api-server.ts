/**
 * A Kubernetes API server with its own store and controllers, on loopback: it admits, defaults and validates objects as a cluster does,
 * and its controllers make the Pods that sets ask for. There are no nodes, so no Pod ever starts.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'
import { findCounterpart } from '../../../tools/counterparts.ts'
import { until } from '../../e2e/peers/until.ts'

const TOKEN = 'token-of-an-administrator'
const programs = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const

/** Whether `npm run counterparts -- kubernetes` built it on this machine. */
export const hasApiServer = programs.every((name) => findCounterpart(name) !== undefined)

export interface ApiServer extends AsyncDisposable {
  readonly address: string
  readonly kubeconfig: string
  /** Of its certificate. */
  readonly authority: string
  ask<Answer>(method: string, path: string, body?: object): Promise<Answer>
}

/** A file of the folder, with a key pair for the tokens of service accounts and the account that the test uses. */
async function layFiles(folder: string): Promise<void> {
  const key = join(folder, 'accounts.key')
  await promisify(execFile)('openssl', ['genrsa', '-out', key, '2048'])
  await writeFile(join(folder, 'tokens.csv'), `${TOKEN},admin,1,system:masters\n`)
}

const kubeconfigOf = (address: string, authority: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: address, 'certificate-authority': authority } }],
    users: [{ name: 'admin', user: { token: TOKEN } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
  })

export async function startApiServer(): Promise<ApiServer> {
  const folder = await mkdtemp(join(tmpdir(), 'api-server-'))
  await layFiles(folder)
  const children: ChildProcess[] = []
  const start = (name: (typeof programs)[number], words: readonly string[]) =>
    children.push(spawn(findCounterpart(name) ?? name, words, { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } }))
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()].map(String)
  const at = (name: string) => join(folder, name)
  const [store, other] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`]
  start('etcd', [
    ...['--data-dir', at('etcd'), '--unsafe-no-fsync', '--listen-client-urls', store, '--advertise-client-urls', store],
    ...['--listen-peer-urls', other, '--initial-advertise-peer-urls', other, '--initial-cluster', `default=${other}`],
  ])
  start('kube-apiserver', [
    ...[`--etcd-servers=${store}`, '--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${at('certs')}`],
    ...['--service-cluster-ip-range=10.96.0.0/16', '--endpoint-reconciler-type=none', '--authorization-mode=RBAC'],
    '--service-account-issuer=https://kubernetes.default.svc',
    ...[`--service-account-key-file=${at('accounts.key')}`, `--service-account-signing-key-file=${at('accounts.key')}`],
    ...[`--token-auth-file=${at('tokens.csv')}`, '--anonymous-auth=false'],
  ])
  const address = `https://127.0.0.1:${port}`
  const authority = at('certs/apiserver.crt')
  const ask = <Answer>(method: string, path: string, body?: object) =>
    send({ address, authority }, method, path, body) as Promise<Answer>
  const stop = async () => {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  try {
    // The roles of the system are there a moment after the server says that it is ready.
    await until('the API server answers', () =>
      ask('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/admin').then(
        () => true,
        () => false,
      ),
    )
    await writeFile(at('kubeconfig'), kubeconfigOf(address, authority))
    start('kube-controller-manager', [
      ...[`--kubeconfig=${at('kubeconfig')}`, '--leader-elect=false', '--bind-address=127.0.0.1', '--secure-port=0'],
      ...[`--service-account-private-key-file=${at('accounts.key')}`, `--root-ca-file=${authority}`],
      '--use-service-account-credentials=true',
    ])
  } catch (thrown) {
    await stop()
    throw thrown
  }
  return { address, authority, kubeconfig: at('kubeconfig'), ask, [Symbol.asyncDispose]: stop }
}

async function send(
  { address, authority }: { address: string; authority: string },
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const ca = await readFile(authority)
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json' }
  const sent = request(new URL(path, address), { method, ca, headers, agent: false })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const text = Buffer.concat(await answer.toArray()).toString('utf8')
  if ((answer.statusCode ?? 500) >= 300) throw new Error(`${method} ${path} is answered ${answer.statusCode}: ${text}`)
  return JSON.parse(text)
}
