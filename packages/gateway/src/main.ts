/**
 * The one file that does something when it is imported: hand the command line to the command that is meant.
 *
 * The Node of the process is checked before anything else is loaded, because an older one fails with a message that
 * helps nobody. Nothing is decided here.
 */
import { setFlagsFromString } from 'node:v8'

const OLDEST = [24, 15] as const
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `Toolway needs Node ${OLDEST.join('.')} or later and was started with ${process.versions.node}: use \`npm start\` or \`npx toolway\`, which install the right version.`,
  )
  process.exitCode = 1
} else {
  // V8 learns to allocate what once survived two collections in the old generation from the start. Of a request that is
  // over in milliseconds that is wrong for ever: dead in the old generation, it keeps all it points to until a full
  // collection, and that teaches V8 the next such place. docs/performance.md, "Where the time of a call goes", has the figures.
  setFlagsFromString('--no-allocation-site-pretenuring')
  const { keepCompiled } = await import('./lib/keep-compiled.ts')
  keepCompiled()
  const { run } = await import('./cli/program.ts')
  process.exitCode = await run(process.argv.slice(2))
}
