/**
 * `npm run pictures`: takes the pictures of docs/pictures anew, of the console as it is built from these sources, with a town in it: at a
 * fiftieth, with `-- --whole` the whole one.
 */
import { parseArgs } from 'node:util'
import { runChild } from '../packages/gateway/bin/run-child.mjs'

/** @returns {boolean} */
function wantsWhole() {
  try {
    return parseArgs({ options: { whole: { type: 'boolean', default: false } } }).values.whole
  } catch (thrown) {
    process.stderr.write(
      `${thrown instanceof Error ? thrown.message : String(thrown)}\nUsage: npm run pictures [-- --whole]\n`,
    )
    return process.exit(2)
  }
}

const env = { ...process.env, TOOLWAY_PICTURES: 'write', TOOLWAY_PICTURES_TOWN: wantsWhole() ? 'whole' : 'small' }
const words = ['node_modules/vitest/vitest.mjs', 'run', 'test/console/pictures.test.ts']
process.exitCode = await runChild(process.execPath, words, { env })
