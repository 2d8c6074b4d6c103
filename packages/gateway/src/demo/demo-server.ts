/**
 * The demo connection of a first run: `node demo-server.ts` is an MCP server on stdin and stdout.
 *
 * Serves every protocol era by the SDK's own stdio entry. Standard output carries protocol messages only; what goes
 * wrong outside a call is said on standard error. Notes live in `.toolway-demo/notes` under the home of this process,
 * which the gateway gives each child. It ends when its standard input ends.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createDemoServer } from './demo-surface.ts'
import { openNotebook } from './notes/notebook.ts'
import { realSleep } from './times/wait.ts'

const now = () => new Date()
const report = (fault: unknown) => {
  console.error(`demo: ${fault instanceof Error ? fault.message : String(fault)}`)
}
const notebook = openNotebook(join(homedir(), '.toolway-demo', 'notes'), { now })

serveStdio(() => createDemoServer({ notebook, now, sleep: realSleep, report }), { onerror: report })
