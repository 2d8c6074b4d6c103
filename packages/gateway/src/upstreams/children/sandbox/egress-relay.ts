/**
 * The program that a confined child's command is started by where it may reach the network: `egress-relay SOCKET PORT COMMAND …`.
 * The child has a network of its own without routes; the relay listens there on 127.0.0.1:PORT and passes each connection on to the
 * Unix socket of the egress proxy outside. It then starts the command with its own stdio and environment, and ends as it ends.
 *
 * It runs inside the confinement and imports nothing of ours, so that this one file is all a sandbox has to show.
 */
import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'

const CONNECTIONS = 128
const [path = '', port = '', command = '', ...args] = process.argv.slice(2)

const server = createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path, allowHalfOpen: true })
  client.on('error', () => proxy.destroy()).once('close', () => proxy.destroy())
  proxy.on('error', () => client.destroy()).once('close', () => client.destroy())
  client.pipe(proxy)
  proxy.pipe(client)
})
server.maxConnections = CONNECTIONS
server.once('error', (problem) => fail(`Toolway could not offer its proxy: ${problem.message}`))
server.listen(Number(port), '127.0.0.1', start)

function start(): void {
  const child = spawn(command, args, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.once('error', (problem) => fail(`Toolway could not start ${command}: ${problem.message}`))
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
}

function fail(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
