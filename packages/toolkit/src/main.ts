/** The process around the toolkit: it reads the options, joins the standard streams and ends when its client does. */
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { Workspace } from './files/workspace.ts'
import { Refusal } from './refusal.ts'
import { createHiding } from './secrets.ts'
import { createToolkitServer } from './server.ts'
import { HELP, readSettings, refuseUnknownTools, type Settings } from './settings.ts'
import { createTools } from './tools/all.ts'
import { VERSION } from './version.ts'
import { WholeLines } from './whole-lines.ts'

const log = (line: string) => void process.stderr.write(`toolway-toolkit: ${line}\n`)
process.stderr.on('error', () => {})
/** Milliseconds for calls to stop, and remove what is not whole, after the client is gone. */
const LAST = 250

const WAITING =
  'waits for an MCP client on its standard input. Clients start it themselves, with `toolway-toolkit --root FOLDER`; --help lists the options, and Ctrl+C ends it.'

async function serve({ roots, budgets, message, text, environment }: Settings): Promise<void> {
  if (process.platform === 'win32') throw new Refusal('The toolkit does not run on Windows directly: start it in WSL.')
  const makeTools = () => createTools({ environment, text })
  refuseUnknownTools(
    budgets,
    makeTools().map(({ name }) => name),
  )
  const hide = createHiding(environment)
  const workspace = roots.length === 0 ? undefined : await Workspace.open(roots)
  const lines = process.stdin.pipe(new WholeLines(message))
  const transport = new StdioServerTransport(lines, process.stdout, { maxBufferSize: message * 2 })
  const handle = serveStdio(
    ({ era }) => createToolkitServer({ tools: makeTools(), workspace, budgets, era, tell: log, hide }),
    {
      transport,
      onerror: (error) => log(error.message),
    },
  )
  if (process.stdin.isTTY) log(WAITING)
  const end = () => void handle.close().finally(() => process.exit())
  process.stdin.once('end', () => setTimeout(end, LAST))
  process.stdin.once('error', end)
  lines.once('error', end)
  for (const event of ['close', 'error'] as const) process.stdout.once(event, end)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
}

async function run(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env)
  if (settings.asks === 'help') return void process.stdout.write(HELP)
  if (settings.asks === 'version') return void process.stdout.write(`${VERSION}\n`)
  await serve(settings)
}

try {
  await run()
} catch (thrown) {
  const words = thrown instanceof Error ? thrown.message : String(thrown)
  const isOption = String((thrown as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
  log(isOption ? `${words.replace(/\.$/, '')}. --help lists the options.` : words)
  process.exitCode = thrown instanceof Refusal || thrown instanceof TypeError ? 2 : 1
}
