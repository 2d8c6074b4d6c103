/**
 * Checks of what a machine can read: format, lint, types, floors, sizes of functions, spelling and phrases, dead exports and the size of a tool call, one after
 * the other and all of them even when one fails. The output of a failed check is shown whole. It changes no file.
 */
import { stripVTControlCharacters } from 'node:util'
import { runChild } from '../packages/gateway/bin/run-child.mjs'

const steps = [
  // npm writes package.json in a way of its own, at each install.
  {
    name: 'format',
    asks: 'is every file as oxfmt writes it',
    run: ['oxfmt', '--check', '.', '!**/package.json'],
    mend: 'npx oxfmt',
  },
  {
    name: 'lint',
    asks: 'does oxlint find a likely mistake',
    run: ['oxlint', '--type-aware', '--report-unused-disable-directives'],
  },
  // TypeScript 6 is here too, for the tools that need its compiler API: say which one checks.
  { name: 'types', asks: 'does TypeScript 7 agree', run: [process.execPath, 'node_modules/ts7/bin/tsc', '-p', '.'] },
  {
    name: 'console',
    asks: 'does it agree about what runs in a browser',
    run: [process.execPath, 'node_modules/ts7/bin/tsc', '-p', 'packages/console'],
  },
  {
    name: 'floors',
    asks: 'do imports only look downwards',
    run: ['depcruise', '--config', 'floors.config.mjs', 'packages', 'test', 'tools', 'examples'],
  },
  {
    name: 'sizes',
    asks: 'has no function more than 80 lines, and no class more than 200',
    run: [process.execPath, 'tools/function-sizes.ts'],
  },
  {
    name: 'words',
    asks: 'is what people read spelled right, and in plain words',
    run: [process.execPath, 'tools/words.mjs'],
  },
  { name: 'exports', asks: 'is everything exported used', run: ['knip', '--no-progress'] },
  {
    name: 'call',
    asks: 'how much a reader has to know of one warm tool call',
    run: [process.execPath, 'test/load/call-size.ts'],
    shown: true,
  },
]

let stopped = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (stopped = true))

const began = Date.now()
const failed = []
for (const step of steps) {
  const { code, output, seconds } = await runStep(step)
  if (stopped) process.exit(code)
  console.log(`${code === 0 ? 'ok    ' : 'failed'}  ${step.name.padEnd(7)}  ${seconds.padStart(5)} s  ${step.asks}`)
  if (code === 0) {
    if (step.shown) console.log(output.trim().replaceAll(/^/gm, '        '))
    continue
  }
  failed.push(step.name)
  console.log(stripVTControlCharacters(output).trimEnd())
  if (step.mend) console.log(`To mend it: ${step.mend}`)
}
const took = secondsSince(began)
console.log(
  failed.length === 0
    ? `All ${steps.length} checks passed in ${took} s.`
    : `${failed.length} of ${steps.length} checks failed in ${took} s: ${failed.join(', ')}.`,
)
process.exitCode = failed.length === 0 ? 0 : 1

async function runStep({ run: [command, ...words] }) {
  const start = Date.now()
  let output = ''
  const collect = (child) => {
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  }
  const code = await runChild(command, words, { stdio: ['ignore', 'pipe', 'pipe'] }, collect)
  return { code, output, seconds: secondsSince(start) }
}

function secondsSince(start) {
  return ((Date.now() - start) / 1000).toFixed(1)
}
