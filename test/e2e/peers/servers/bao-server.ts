/**
 * A server of keys and secrets for tests: HashiCorp Vault or OpenBao in its development mode where TEST_VAULT names its binary or
 * `npm run counterparts -- openbao` brought it, and otherwise a double of the parts that are used, made after the published interface: the transit engine, the key/value engine
 * version 2, tokens and AppRoles. The double refuses what the server refuses.
 */
import { spawn } from 'node:child_process'
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../../packages/gateway/src/testing/free-port.ts'
import { findOpenBao } from '../../../../tools/counterparts.ts'

export interface BaoServer extends AsyncDisposable {
  readonly kind: 'vault' | 'double'
  readonly address: string
  /** May do everything. */
  readonly rootToken: string
  /** One request with the root token. Throws for another status than 200 and 204. */
  ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>
  /** The server is away, and back with all it had. */
  stop(): Promise<void>
  start(): Promise<void>
}

const findVault = (): string | undefined => process.env['TEST_VAULT'] ?? findOpenBao()

export async function startBaoServer(binary = findVault()): Promise<BaoServer> {
  const port = await freePort()
  const rootToken = `root-${randomUUID()}`
  const address = `http://127.0.0.1:${port}`
  const server = binary === undefined ? createDouble(port, rootToken) : createReal(binary, port, rootToken)
  await server.start()
  const ask: BaoServer['ask'] = async (method, path, body) => {
    const response = await fetch(`${address}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': rootToken },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }
  await ask('POST', 'sys/mounts/transit', { type: 'transit' })
  await ask('POST', 'transit/keys/toolway', {})
  return {
    ...{ kind: server.kind, address, rootToken, ask, stop: server.stop, start: server.start },
    [Symbol.asyncDispose]: server.end,
  }
}

interface Serving extends Pick<BaoServer, 'kind' | 'stop' | 'start'> {
  end(): Promise<void>
}

/** Its development mode keeps all in memory, so that it is away while its process is stopped. */
function createReal(binary: string, port: number, token: string): Serving {
  let child: ReturnType<typeof spawn> | undefined
  let home = ''
  return {
    kind: 'vault',
    async start() {
      if (child !== undefined) return void child.kill('SIGCONT')
      home = await mkdtemp(join(tmpdir(), 'toolway-vault-'))
      const words = ['server', '-dev', `-dev-listen-address=127.0.0.1:${port}`, `-dev-root-token-id=${token}`]
      const env = { HOME: home, PATH: process.env['PATH'] }
      child = spawn(binary, words, { env, stdio: 'ignore' })
      for (let tries = 0; tries < 600; tries++) {
        const up = await fetch(`http://127.0.0.1:${port}/v1/sys/health`).then(
          ({ ok }) => ok,
          () => false,
        )
        if (up) return
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      throw new Error('Vault did not start')
    },
    stop: () => Promise.resolve(void child?.kill('SIGSTOP')),
    async end() {
      if (child !== undefined) {
        const ended = once(child, 'close')
        child.kill('SIGCONT')
        child.kill('SIGKILL')
        await ended
      }
      await rm(home, { recursive: true, force: true })
    },
  }
}

interface Answer {
  readonly status: number
  readonly body?: object
}
const errors = (status: number, ...words: string[]): Answer => ({ status, body: { errors: words } })
const DENIED = errors(403, 'permission denied')

class Double {
  readonly #tokens = new Set<string>()
  readonly #mounts = new Map<string, string>([['secret', 'kv']])
  readonly #keys = new Map<string, Buffer>()
  readonly #values = new Map<string, object>()
  readonly #roles = new Map<string, { id: string; secrets: Set<string> }>()

  constructor(root: string) {
    this.#tokens.add(root)
  }

  answer(method: string, path: string, token: string, body: Record<string, unknown>): Answer {
    if (method === 'POST' && path === 'auth/approle/login') return this.#signIn(body)
    if (!this.#tokens.has(token)) return DENIED
    const [first = '', second = '', ...rest] = path.split('/')
    if (first === 'sys') return this.#system(second, rest, body)
    if (first === 'auth') return this.#auth(rest, body)
    if (first === 'revoke') return this.#revoke()
    const engine = this.#mounts.get(first)
    if (engine === 'transit') return this.#transit(second, rest.join('/'), body)
    if (engine === 'kv') return this.#value(method, second, rest.join('/'), body)
    return errors(404, `no handler for route "${path}". route entry not found.`)
  }

  #system(what: string, [name = '']: readonly string[], { type }: Record<string, unknown>): Answer {
    if (what === 'mounts') this.#mounts.set(name, String(type))
    return { status: 204 }
  }

  /** Tokens other than the first one end, as they do when their time is over. */
  #revoke(): Answer {
    const [root = ''] = this.#tokens
    this.#tokens.clear()
    this.#tokens.add(root)
    return { status: 204 }
  }

  #auth([kind, role = '', what]: readonly string[], _body: Record<string, unknown>): Answer {
    if (kind !== 'role') return { status: 204 }
    const held = this.#roles.get(role) ?? { id: randomUUID(), secrets: new Set<string>() }
    this.#roles.set(role, held)
    if (what === 'role-id') return { status: 200, body: { data: { role_id: held.id } } }
    if (what !== 'secret-id') return { status: 204 }
    const secret = randomUUID()
    held.secrets.add(secret)
    return { status: 200, body: { data: { secret_id: secret } } }
  }

  #signIn({ role_id: id, secret_id: secret }: Record<string, unknown>): Answer {
    const role = [...this.#roles.values()].find((one) => one.id === id)
    if (role?.secrets.has(String(secret)) !== true) return errors(400, 'invalid role or secret ID')
    const token = `hvs.${randomUUID()}`
    this.#tokens.add(token)
    return { status: 200, body: { auth: { client_token: token, lease_duration: 3600, renewable: true } } }
  }

  #transit(action: string, name: string, { plaintext, ciphertext }: Record<string, unknown>): Answer {
    if (action === 'keys') {
      if (!this.#keys.has(name)) this.#keys.set(name, randomBytes(32))
      return { status: 204 }
    }
    const key = this.#keys.get(name)
    if (key === undefined) return errors(action === 'encrypt' ? 403 : 400, 'encryption key not found')
    if (action === 'encrypt') {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const sealed = Buffer.concat([nonce, cipher.update(Buffer.from(String(plaintext), 'base64')), cipher.final()])
      const text = Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64')
      return { status: 200, body: { data: { ciphertext: `vault:v1:${text}`, key_version: 1 } } }
    }
    try {
      const bytes = Buffer.from(String(ciphertext).replace(/^vault:v1:/, ''), 'base64')
      const opened = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(-16))
      const plain = Buffer.concat([opened.update(bytes.subarray(12, -16)), opened.final()])
      return { status: 200, body: { data: { plaintext: plain.toString('base64') } } }
    } catch {
      return errors(400, 'cipher: message authentication failed')
    }
  }

  #value(method: string, kind: string, path: string, body: Record<string, unknown>): Answer {
    if (kind !== 'data') return errors(404)
    if (method === 'POST') {
      this.#values.set(path, body['data'] as object)
      return { status: 200, body: { data: { version: 1 } } }
    }
    const data = this.#values.get(path)
    return data === undefined ? errors(404) : { status: 200, body: { data: { data, metadata: { version: 1 } } } }
  }
}

function createDouble(port: number, root: string): Serving {
  const double = new Double(root)
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const path = (request.url ?? '').replace(/^\/v1\//, '')
      const token = String(request.headers['x-vault-token'] ?? '')
      const { status, body: answer } = double.answer(request.method ?? '', path, token, body)
      response.writeHead(status, { 'content-type': 'application/json' }).end(answer && JSON.stringify(answer))
    })
  })
  const stop = async () => {
    if (!server.listening) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    kind: 'double',
    async start() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    stop,
    end: stop,
  }
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}
