/**
 * A process of the bench itself: the stub, the two yardstick proxies, the load generator.
 *
 * Started on its core with a channel to its parent; it exits when the channel closes, so not even a killed
 * bench leaves it behind. `next()` hands out what it says, in order, and fails when it ends instead.
 * Never restarts anything.
 */
import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Probe } from '../counts/heap-profile.ts'
import { onCore } from './core-layout.ts'

const SAY_LIMIT_MS = 30_000

/** @param probe answers from inside what the heap of the process spends */
export function startPeer(script: URL, args: readonly string[], core: number | undefined, probe?: Probe) {
  const path = fileURLToPath(script)
  const name = basename(path)
  const [command, rest] = onCore(core, process.execPath, [...(probe?.words ?? []), path, ...args])
  const env = { ...process.env, ...probe?.env }
  const child = spawn(command, rest, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const said: unknown[] = []
  let failed: Error | undefined
  let wake: (() => void) | undefined

  child.on('message', (message) => {
    said.push(message)
    wake?.()
  })
  const fail = (error: Error) => {
    failed ??= error
    wake?.()
  }
  child.on('error', fail)
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', (code, signal) => {
      fail(new Error(`${name} ended (${signal ?? code})`))
      resolve()
    })
  })

  return {
    pid: child.pid ?? 0,
    tell(message: object): void {
      child.send(message)
    },
    /** The next thing it says. Rejects when it ends first or says nothing for `limitMs`. */
    async next(limitMs = SAY_LIMIT_MS): Promise<unknown> {
      if (said.length === 0 && failed === undefined) {
        const timer = setTimeout(() => fail(new Error(`${name} said nothing for ${limitMs} ms`)), limitMs)
        await new Promise<void>((resolve) => (wake = resolve))
        clearTimeout(timer)
      }
      if (said.length > 0) return said.shift()
      throw failed ?? new Error(`${name} said nothing`)
    },
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill('SIGKILL')
      await exited
    },
  }
}

export type Peer = ReturnType<typeof startPeer>

/** Where a server peer listens, as its MCP endpoint. It says its port once, when it does. */
export async function endpointOf(peer: Peer): Promise<string> {
  const { port } = (await peer.next()) as { port: number }
  return `http://127.0.0.1:${port}/mcp`
}
