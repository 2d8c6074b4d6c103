/**
 * The way out of a network namespace of its own. Before the program starts, a short process inside opens a listener on the loopback
 * address there and hands it to the worker, which joins each connection to the Unix socket of the child's egress proxy. Nothing
 * of it stays inside. The program finds the proxy by the usual variables.
 */
import type { ChildProcess } from 'node:child_process'
import { connect, Server, type Socket } from 'node:net'
import { findTool } from './tools.ts'

const PORT = 3128
const CONNECTIONS = 256

const HAND_OVER = `
const server = require('net').createServer().listen(${PORT}, '127.0.0.1', () =>
  process.send('listener', server, {}, () => undefined))
process.once('message', () => process.exit(0))
process.once('disconnect', () => process.exit(1))
`
/**
 * Descriptor 3 is the channel to the worker: the program does not get it, and no variable of its connection reaches the process that
 * has it, because some make Node or OpenSSL load other code. A program without its proxy is not started.
 */
const SCRIPT = `(exec "$1" -i NODE_CHANNEL_FD=3 NODE_CHANNEL_SERIALIZATION_MODE=json "$2" -e "$3" </dev/null >/dev/null) || exit 127
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE PWD; shift 3; exec "$@" 3>&-`

export const commandThroughBridge = (program: readonly string[]): string[] => [
  ...['/bin/sh', '-c', SCRIPT, 'toolway-network', findTool('env'), process.execPath, HAND_OVER],
  ...program,
]

export function proxyVariables(): Record<string, string> {
  const names = {
    HTTP_PROXY: `http://127.0.0.1:${PORT}`,
    HTTPS_PROXY: `http://127.0.0.1:${PORT}`,
    NO_PROXY: 'localhost,127.0.0.1,::1',
  }
  const lower = Object.entries(names).map(([name, value]) => [name.toLowerCase(), value] as const)
  return { ...names, ...Object.fromEntries(lower), NODE_USE_ENV_PROXY: '1' }
}

/** Takes the listener of a child, and joins what connects to it to the Unix socket. Returns how to close it. */
export function joinBridge(child: ChildProcess, socket: string): () => void {
  let server: Server | undefined
  const open = new Set<Socket>()
  child.once('message', (_, handle) => {
    if (!(handle instanceof Server)) return child.disconnect()
    server = handle
    server.maxConnections = CONNECTIONS
    Object.assign(server, { allowHalfOpen: true })
    server.on('error', () => server?.close())
    server.on('connection', (inside: Socket) => {
      const outside = connect({ path: socket, allowHalfOpen: true })
      for (const [end, other] of [
        [inside, outside],
        [outside, inside],
      ] as const) {
        open.add(end)
        end.on('error', () => other.destroy())
        end.once('close', () => {
          open.delete(end)
          other.destroy()
        })
        end.pipe(other)
      }
    })
    child.send('taken', () => {
      if (child.connected) child.disconnect()
    })
  })
  return () => {
    server?.close()
    for (const item of open) item.destroy()
    if (child.connected) child.disconnect()
  }
}
