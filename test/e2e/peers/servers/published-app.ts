/** A published MCP server with an app, over HTTP in a process of its own, on a free port. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../../../../packages/gateway/src/testing/free-port.ts'
import { PATIENCE_MS } from '../../../../packages/gateway/src/testing/patience.ts'

export async function startPublishedApp(program: string): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort()
  const env = { PATH: process.env['PATH'], PORT: String(port) }
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'ignore'], env })
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line', { signal: AbortSignal.timeout(PATIENCE_MS) }),
    once(child, 'exit').then(() => [undefined]),
  ])) as [string | undefined]
  if (line === undefined) throw new Error(`${program} ended before it listened`)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
