/** The process around the toolkit: it reads the options, joins the standard streams and ends when its client does. */
import { parseArgs } from 'node:util'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Workspace } from './files/workspace.ts'
import { Refusal } from './refusal.ts'
import { createToolkitServer } from './server.ts'
import { createTools } from './tools/all.ts'
import { VERSION } from './version.ts'

const HELP = `toolway-toolkit: files of this machine as MCP tools, over stdio

  --root FOLDER   where files may be read and written; the first one is where relative paths begin.
                  May be given several times. TOOLWAY_TOOLKIT_ROOT names one, too.
  --version       the version
  --help          this text
`

const tell = (line: string) => void process.stderr.write(`toolway-toolkit: ${line}\n`)
process.stderr.on('error', () => {})
/** Milliseconds for answers after the client has said all. */
const LAST = 250

async function serve(roots: readonly string[]): Promise<void> {
  const workspace = await Workspace.open(roots)
  const tools = createTools({ environment: process.env })
  const handle = serveStdio(() => createToolkitServer({ tools, workspace }), {
    onerror: (error) => tell(error.message),
  })
  const end = () => void handle.close().finally(() => process.exit())
  process.stdin.once('end', () => setTimeout(end, LAST))
  process.stdin.once('error', end)
  for (const event of ['close', 'error'] as const) process.stdout.once(event, end)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      root: { type: 'string', multiple: true },
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return void process.stdout.write(HELP)
  if (values.version === true) return void process.stdout.write(`${VERSION}\n`)
  const named = process.env['TOOLWAY_TOOLKIT_ROOT']
  const roots = values.root ?? (named === undefined || named === '' ? [] : [named])
  await serve(roots)
}

try {
  await run()
} catch (thrown) {
  tell(thrown instanceof Error ? thrown.message : String(thrown))
  process.exitCode = thrown instanceof Refusal || thrown instanceof TypeError ? 2 : 1
}
