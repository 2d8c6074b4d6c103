/** MCP servers with OAuth of the published Python packages (`python/servers.py`) and of the Go SDK (`go/main.go`), each in a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { OAuthServers } from '../../../../tools/counterparts.ts'
import type { OAuthCounts, OAuthPeer } from './sdk-server.ts'

const PATIENCE = 60_000

export const startPythonServer = (kind: 'sdk' | 'fastmcp', { program, packages }: OAuthServers): Promise<OAuthPeer> =>
  startProgram(kind, ['python3', program, kind], {
    PATH: process.env['PATH'] ?? '',
    HOME: packages,
    PYTHONPATH: packages,
    FASTMCP_CHECK_FOR_UPDATES: 'off',
  })

export const startGoServer = ({ program }: { readonly program: string }): Promise<OAuthPeer> =>
  startProgram('the Go SDK', [program], {})

async function startProgram(
  kind: string,
  [command, ...words]: readonly [string, ...string[]],
  env: Record<string, string>,
): Promise<OAuthPeer> {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'], env })
  let complaints = ''
  child.stderr.on('data', (chunk) => (complaints = (complaints + String(chunk)).slice(-4_000)))
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line', { signal: AbortSignal.timeout(PATIENCE) }),
    once(child, 'exit').then(() => [undefined]),
  ])) as [string | undefined]
  if (line === undefined) throw new Error(`the server of ${kind} ended: ${complaints}`)
  const { url, counts } = JSON.parse(line) as { url: string; counts: string }
  return {
    url,
    counts: async () => (await (await fetch(counts)).json()) as OAuthCounts,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
