/**
 * The preset `curatore` as somebody runs it: a gateway that is a process, and a contract backend in front of which it stands.
 * `await using here = await startCuratore()` ends both.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { makeInstallation, type Installation, type Running, type Settings } from '../../cli/installation.ts'
import { startContractBackend, type ContractBackend } from '../peers/contract-backend/backend.ts'

export const KEY = 'a key of the chat interface'
export const ADMIN_KEY = 'another key, of administrators'
export const BACKEND_KEY = 'what the backend wants'
export const ORG = 'acme'

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
  readonly text: string
}

export interface Curatore extends AsyncDisposable {
  readonly backend: ContractBackend
  readonly installation: Installation
  readonly settings: Settings
  gateway: Running
  /** One request with the key, unless other headers are given. */
  ask(path: string, init?: { method?: string; body?: unknown; headers?: Record<string, string> }): Promise<Answered>
  /** A tool's answer at its flat address. */
  call(tool: string, args: unknown, headers?: Record<string, string>): Promise<Answered>
  /** The lines of the log, as JSON. */
  log(): Record<string, unknown>[]
  writePolicy(text: string): Promise<void>
  readonly policyFile: string
}

export const settingsFor = (backend: Pick<ContractBackend, 'url'>): Settings => ({
  TOOLWAY_PRESET: 'curatore',
  MCP_API_KEY: KEY,
  DEFAULT_ORG_ID: ORG,
  CURATORE_BACKEND_URL: backend.url,
  BACKEND_API_KEY: BACKEND_KEY,
})

export async function startCuratore(settings: Settings = {}, policy?: string): Promise<Curatore> {
  const backend = await startContractBackend({ key: BACKEND_KEY })
  const installation = await makeInstallation()
  const policyFile = join(installation.folder, 'policy.yaml')
  if (policy !== undefined) await writeFile(policyFile, policy)
  const own = { ...settingsFor(backend), ...(policy === undefined ? {} : { POLICY_FILE: policyFile }), ...settings }
  const here: Curatore = {
    backend,
    installation,
    settings: own,
    gateway: await installation.start(own),
    policyFile,
    async ask(path, { method = 'GET', body, headers = { authorization: `Bearer ${KEY}` } } = {}) {
      const response = await fetch(`${here.gateway.address}${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: parsed(text) }
    },
    call: (tool, args, headers) =>
      here.ask(`/${tool}`, { method: 'POST', body: args, ...(headers === undefined ? {} : { headers }) }),
    log: () => linesOf(here.gateway.err()),
    writePolicy: (text) => writeFile(policyFile, text),
    async [Symbol.asyncDispose]() {
      await installation[Symbol.asyncDispose]()
      await backend[Symbol.asyncDispose]()
    },
  }
  return here
}

export const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** A client of the official SDK. */
export async function connect({ gateway }: Curatore, key = KEY, path = '/mcp') {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.address}${path}`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}
