/**
 * The one file that does something when it is imported: the process around the bridge. It reads options, joins the
 * standard streams to the bridge and ends when the client does.
 *
 * stdout carries MCP and nothing else; whatever there is to say goes to stderr.
 */
import { readFileSync } from 'node:fs'
import { createBridge } from './bridge.ts'
import { createGateway, PATIENCE } from './gateway.ts'
import { isLoopback, readOptions, VERSION, type Options } from './options.ts'
import { createOutlet } from './outlet.ts'
import { proxiesFor } from './proxies.ts'
import { createWire } from './wire.ts'

/** Milliseconds that what is under way has when the client says no more. */
const GRACE = 1_000
/** Unread answers at which the client is not listened to any more until it reads. Bytes. */
const MOST_UNREAD = 4 * 1024 * 1024

const log = (line: string) => void process.stderr.write(`toolway-bridge: ${line}\n`)
// A client that does not read what is said to it here is no reason to end.
process.stderr.on('error', () => {})

async function run({ url, key, keySource }: Options): Promise<void> {
  const { stdin, stdout } = process
  const { proxies, warning } = proxiesFor(url, process.env, process.versions.node)
  if (warning !== undefined) log(warning)
  if (key !== undefined && url.protocol === 'http:' && !isLoopback(url))
    log(`The key is sent to ${url.host} unencrypted: use an https:// address.`)
  const wire = await createWire({ url, key, version: VERSION, proxies })
  const outlet = createOutlet(stdout, () => void end(0))
  const address = `${url.origin}${url.pathname}`
  const gateway = createGateway({ wire, address, patience: PATIENCE, tell: log, room: () => outlet.ready() })
  const bridge = createBridge({ gateway, outlet, address, keySource, tell: log })

  let ending = false
  async function end(grace: number): Promise<void> {
    if (ending) return
    ending = true
    stdin.pause()
    await bridge.end(grace)
    process.exit(0)
  }

  stdin.on('data', (chunk: Buffer) => {
    bridge.feed(chunk)
    if (stdout.writableLength < MOST_UNREAD) return
    stdin.pause()
    void outlet.ready()?.then(() => ending || stdin.resume())
  })
  stdin.once('end', () => void end(GRACE))
  stdin.once('error', () => void end(GRACE))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A second signal ends the process at once.
      if (ending) process.exit(0)
      void end(GRACE)
    })
  }
}

const options = readOptions(process.argv.slice(2), process.env, (path) => readFileSync(path, 'utf8'))
if ('run' in options) await run(options.run)
else if ('print' in options) process.stdout.write(options.print)
else {
  log(options.refuse)
  process.exitCode = 2
}
