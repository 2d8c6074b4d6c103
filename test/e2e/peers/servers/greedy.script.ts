/** A stdio server that takes what it is told to take, and shows what it sees. A fixture: nothing here runs when imported by a test. */
import { spawn } from 'node:child_process'
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const MIB = 1024 * 1024
const held: Buffer[] = []
const names = ['world', 'fill', 'bear', 'shout']
const inputSchema = { type: 'object' as const }
const HOLDS = `const held = Buffer.alloc(Number(process.argv[1]) * ${MIB}, 1); setInterval(() => held.length, 60_000)`

function answer(name: string, mebibytes: number): string {
  if (name === 'world')
    return JSON.stringify({ environment: process.env, cwd: process.cwd(), born: performance.timeOrigin })
  // Filled, because memory that was never touched is none.
  if (name === 'fill') held.push(Buffer.alloc(mebibytes * MIB, 1))
  if (name === 'shout') process.stdout.write('x'.repeat(mebibytes * MIB))
  if (name === 'bear') spawn(process.execPath, ['--eval', HOLDS, String(mebibytes), process.argv[2] ?? ''])
  return 'done'
}

serveStdio(() => {
  const server = new Server({ name: 'greedy', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: names.map((name) => ({ name, inputSchema })) }))
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: answer(params.name, Number(params.arguments?.['mebibytes'] ?? 0)) }],
  }))
  return server
})
