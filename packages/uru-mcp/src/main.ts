/**
 * The process around the server: it reads the settings, joins the standard streams and ends when its client does. stdout carries MCP and
 * nothing else while it serves.
 */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { claudeConfig, setup, testConnection } from './commands.ts'
import { createProxy } from './proxy.ts'
import { createUruServer } from './server.ts'
import { HELP, readSettings, Refusal, type Settings } from './settings.ts'
import { VERSION } from './version.ts'

const FILE = join(homedir(), '.uru-mcp.json')
/** Milliseconds that what is under way has when its client is gone. */
const GRACE = 1_000
/** Milliseconds for answers after the client has said all. */
const LAST = 250

const log = (line: string) => void process.stderr.write(`uru-mcp: ${line}\n`)
// A client that does not read what is said to it here is no reason to end.
process.stderr.on('error', () => {})

const ending = new AbortController()
const proxyFor = ({ proxyUrl, timeout, debug }: Settings) =>
  createProxy({ url: proxyUrl, timeout, debug: debug ? log : () => {} })

function serve(settings: Settings): void {
  const proxy = proxyFor(settings)
  if (settings.key === undefined) log('No key is set: set URU_API_KEY in the configuration of your client.')
  const handle = serveStdio(() => createUruServer({ proxy, settings, ending: ending.signal, tell: log }), {
    onerror: (error) => settings.debug && log(error.message),
  })
  const end = () => {
    if (ending.signal.aborted) process.exit(0)
    ending.abort()
    setTimeout(() => process.exit(0), GRACE)
    void handle.close().finally(() => process.exit(0))
  }
  // What was asked last may still be answered.
  process.stdin.once('end', () => setTimeout(end, LAST))
  process.stdin.once('error', end)
  for (const event of ['close', 'error'] as const) process.stdout.once(event, end)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.once(event, (thrown: unknown) => {
      log(`Stopped by an error: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
      process.exitCode = 1
      end()
    })
}

function fileText(): string | undefined {
  try {
    return readFileSync(FILE, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Refusal(`${FILE} cannot be read (${(thrown as NodeJS.ErrnoException).code ?? 'unreadable'}).`)
  }
}

async function run(): Promise<string | undefined> {
  const args = process.argv.slice(2)
  const { command, settings } = readSettings(args, process.env, args.includes('--setup') ? undefined : fileText())
  if (command === 'help') return HELP
  if (command === 'version') return `${VERSION}\n`
  if (command === 'claude-config') return claudeConfig(settings)
  if (command === 'test') return testConnection(proxyFor(settings), settings, ending.signal)
  if (command === 'setup') return setup(FILE, settings)
  serve(settings)
  return undefined
}

try {
  const output = await run()
  if (output !== undefined) process.stdout.write(output)
} catch (thrown) {
  log(thrown instanceof Error ? thrown.message : String(thrown))
  process.exitCode = thrown instanceof Refusal ? 2 : 1
}
