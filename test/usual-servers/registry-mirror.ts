/**
 * A mirror of npm's registry and of PyPI at a loopback address, as a company has one in its own network: files are fetched once from
 * the public registries and kept in a folder. The gateway is pointed at it by TOOLWAY_NPM_REGISTRY and TOOLWAY_PYTHON_INDEX.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const SOURCES = [
  { at: '/npm/', from: 'https://registry.npmjs.org/' },
  { at: '/simple/', from: 'https://pypi.org/simple/' },
  { at: '/files/', from: 'https://files.pythonhosted.org/' },
]
/** Not 127.0.0.1: programs reach that without their proxy. */
const HOST = '127.0.0.2'

export interface RegistryMirror extends AsyncDisposable {
  readonly npm: string
  readonly python: string
  /** Paths that were asked for, in order. */
  readonly asked: string[]
}

export async function startRegistryMirror(folder: string): Promise<RegistryMirror> {
  await mkdir(folder, { recursive: true })
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(folder, request, response).catch((thrown: unknown) => {
      response.writeHead(502).end(String(thrown))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  const base = `http://${HOST}:${(server.address() as AddressInfo).port}`
  return {
    npm: `${base}/npm/`,
    python: `${base}/simple`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? ''
  const source = SOURCES.find(({ at }) => path.startsWith(at))
  if (request.method !== 'GET' || source === undefined) return void response.writeHead(404).end()
  const accept = path.startsWith('/npm/') ? 'application/json' : 'text/html'
  const { type, bytes, status } = await fetched(folder, source.from + path.slice(source.at.length), accept)
  const isList = type.includes('json') || type.includes('html')
  const body = isList ? rewritten(bytes.toString(), `http://${request.headers.host ?? ''}`) : bytes
  response.writeHead(status, { 'content-type': type }).end(body)
}

/** Addresses of files lead to the mirror, too. */
const rewritten = (text: string, base: string): string =>
  SOURCES.reduce((words, { at, from }) => words.replaceAll(from, base + at), text)

interface Kept {
  readonly type: string
  readonly bytes: Buffer
  readonly status: number
}

async function fetched(folder: string, url: string, accept: string): Promise<Kept> {
  const file = join(folder, createHash('sha256').update(url).digest('hex'))
  const type = await readFile(`${file}.type`, 'utf8').catch(() => undefined)
  if (type !== undefined) return { type, bytes: await readFile(file), status: 200 }
  const response = await fetch(url, { headers: { accept } })
  const bytes = Buffer.from(await response.arrayBuffer())
  const kept = { type: response.headers.get('content-type') ?? '', bytes, status: response.status }
  if (!response.ok) return kept
  await writeFile(`${file}.new`, bytes)
  await rename(`${file}.new`, file)
  await writeFile(`${file}.type`, kept.type)
  return kept
}
