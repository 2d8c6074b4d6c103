/** The relay as a sandbox starts it: the command gets its stdio, its end and its way to the proxy; bytes pass both ways. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../testing/free-port.ts'
import { RELAY } from './egress-command.ts'

async function proxySocket(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-'))
  const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket))
  const path = join(folder, 'proxy.sock')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })
  return path
}

/** Runs a script behind the relay: what it wrote, and how the relay ended. */
async function run(path: string, port: number, command: readonly string[], input = '', kill?: NodeJS.Signals) {
  const relay = spawn(process.execPath, [RELAY, path, String(port), ...command], { stdio: 'pipe' })
  let [stdout, stderr] = ['', '']
  relay.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    if (kill !== undefined) relay.kill(kill)
  })
  relay.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  relay.stdin.end(input)
  const code = await new Promise((resolve) => relay.once('close', resolve))
  return { stdout, stderr, code }
}

test('a command behind the relay reads its stdin, reaches the proxy at its port, and ends with its own code', async () => {
  const port = await freePort()
  const script = `process.stdin.once('data', (line) => {
    const proxy = require('node:net').connect(${port}, '127.0.0.1', () => proxy.end(line))
    proxy.on('data', (back) => process.stdout.write(back)).on('close', () => process.exit(7))
  })`
  const ended = await run(await proxySocket(), port, [process.execPath, '-e', script], 'there and back\n')
  expect(ended).toEqual({ stdout: 'there and back\n', stderr: '', code: 7 })
})

test('a signal to the relay reaches the command', async () => {
  const script = `process.on('SIGTERM', () => process.exit(3)); setInterval(() => undefined, 1000); console.log('ready')`
  const ended = await run(await proxySocket(), await freePort(), [process.execPath, '-e', script], '', 'SIGTERM')
  expect(ended.code).toBe(3)
})

test('a command that is not there is said in a sentence', async () => {
  const ended = await run(await proxySocket(), await freePort(), ['/no/such/program'])
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('could not start /no/such/program') })
})
