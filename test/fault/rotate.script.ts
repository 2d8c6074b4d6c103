/** A rotation in a process of its own, which ends itself without a word at the step that it is told. */
import { writeSync } from 'node:fs'
import { rotateKeys } from '../../packages/gateway/src/features/installation/turn-keys.ts'
import { createDb } from '../../packages/gateway/src/db/db.ts'
import { createKeySources } from '../../packages/gateway/src/vault/key-sources.ts'

const [directory = '', connection = '', dieAt = ''] = process.argv.slice(2)
const db = createDb({ connection: JSON.parse(connection) as object })
const keychain = { read: async () => undefined, write: async () => {}, remove: async () => {} }
const sources = createKeySources({ directory, settings: {}, keychain })

const reach = (step: string) => {
  writeSync(1, `${step}\n`)
  if (step === dieAt) process.kill(process.pid, 'SIGKILL')
}

let batches = 0
await rotateKeys({
  db,
  sources,
  settleMs: 0,
  batch: 5,
  onStep: reach,
  onProgress: () => reach(`batch ${++batches}`),
})
reach('end')
await db.close()
