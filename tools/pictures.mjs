/** `npm run pictures`: takes the pictures of docs/pictures anew, of the console as it is built from these sources. */
import { runChild } from '../packages/gateway/bin/run-child.mjs'

const words = ['node_modules/vitest/vitest.mjs', 'run', 'test/console/pictures.test.ts']
process.exitCode = await runChild(process.execPath, words, {
  env: { ...process.env, TOOLWAY_PICTURES: 'write' },
})
