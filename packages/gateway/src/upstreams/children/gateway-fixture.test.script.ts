/**
 * A process that stands for the gateway, for tests that kill it: starts a stubborn server and one behind `sh -c`, tells
 * the pids on stdout, and stays.
 */
import { setInterval } from 'node:timers'
import { firstLine, launchOf, behindShell } from './children.test.fixture.ts'
import { createChildren } from './worker-link.ts'

let worker: unknown
const quiet = () => undefined
const children = createChildren({
  log: {
    info: quiet,
    warn: quiet,
    error: quiet,
    debug: (facts) => void ('worker' in facts && (worker = facts.worker)),
  },
  home: process.argv[2] as string,
  path: process.env['PATH'] ?? '',
})
const direct = await children.start(launchOf('stubborn'))
const shell = await children.start(behindShell('stubborn'))
const pids = [direct.pid, shell.pid, Number(await firstLine(direct)), Number(await firstLine(shell))]
process.stdout.write(`${JSON.stringify({ worker, pids })}\n`)
setInterval(() => undefined, 60_000)
