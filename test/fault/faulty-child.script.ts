/**
 * A stdio server that behaves until a tool is called, and then misbehaves as the tool's name says. With a word on its
 * command line it misbehaves from the start: `exit`, `deaf` (never reads), `babble` (prints what is no message and goes on).
 */
import { createInterface } from 'node:readline'

const MIB = 1024 * 1024
const say = (text: string) => void process.stdout.write(`${text}\n`)
const send = (value: object) => say(JSON.stringify({ jsonrpc: '2.0', ...value }))
const done = (id: unknown, text = 'done') => send({ id, result: { content: [{ type: 'text', text }] } })

/** A crowd is so many calls that wait for an answer. */
const CROWD = 20
let waiting = 0
let doomed = false
const crashWhenCrowded = () => {
  if (doomed && waiting >= CROWD) process.stderr.write('panic: too many wait\n', () => process.exit(3))
}

const MISBEHAVIOURS: Record<string, (id: unknown) => void> = {
  good: (id) => done(id),
  silent() {
    waiting++
    crashWhenCrowded()
  },
  garbage(id) {
    say('Listening on port 3000!')
    say('{"jsonrpc":"2.0","id":')
    say('')
    say('\u0000\u0001\u001b[31mred')
    done(id, 'after the garbage')
  },
  stranger: () => done(987_654),
  twice(id) {
    done(id, 'first')
    done(id, 'second')
  },
  asks(id) {
    send({ id: 1, method: 'sampling/createMessage', params: {} })
    done(id, 'asked')
  },
  half(id) {
    process.stdout.write(`{"jsonrpc":"2.0","id":${String(id)},"result":{"con`, () => process.exit(0))
  },
  crash() {
    process.stderr.write('panic: the disk is full\n', () => process.exit(3))
  },
  'crash-crowded'() {
    doomed = true
    crashWhenCrowded()
  },
  segfault: () => process.kill(process.pid, 'SIGSEGV'),
  'long-line': () => say('x'.repeat(9 * MIB)),
  'long-answer': (id) => done(id, 'y'.repeat(9 * MIB)),
  flood(id) {
    for (let at = 0; at < 20_000; at++)
      send({ method: 'notifications/progress', params: { progressToken: 'unasked', progress: at } })
    done(id, 'after the flood')
  },
  'stderr-flood'(id) {
    process.stderr.write(`${'z'.repeat(1000)}\n`.repeat(5_000))
    done(id, 'after the flood')
  },
  'close-stdout': () => process.stdout.end(),
}

function listen(): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line) as { id?: unknown; method: string; params?: { name?: string } }
    if (id === undefined || method === undefined) return
    if (method === 'initialize') {
      const { protocolVersion } = params as { protocolVersion: string }
      return send({
        id,
        result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'faulty-child', version: '1' } },
      })
    }
    if (method === 'tools/list')
      return send({
        id,
        result: { tools: Object.keys(MISBEHAVIOURS).map((name) => ({ name, inputSchema: { type: 'object' } })) },
      })
    const misbehave = MISBEHAVIOURS[params?.name ?? '']
    if (method === 'tools/call' && misbehave !== undefined) return misbehave(id)
    send({ id, error: { code: -32601, message: 'no such method' } })
  })
}

const [, , way] = process.argv
if (way === 'exit') {
  process.stderr.write('Error: API_TOKEN is not set\n')
  process.exitCode = 7
} else if (way === 'deaf') setInterval(() => {}, 1_000)
else if (way === 'babble') setInterval(() => say('tick'), 100)
else listen()
