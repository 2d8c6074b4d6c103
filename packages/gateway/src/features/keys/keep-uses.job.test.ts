import type { KeyId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { createKeepUses } from './keep-uses.job.ts'

const ids = (...names: string[]) => names as KeyId[]

/** A store that can be away, and what was written to it. */
function fixture() {
  const written: (readonly KeyId[])[] = []
  const state = { away: false, said: 0 }
  const uses = createKeepUses<KeyId>({
    every: 60_000,
    log: { warn: () => void state.said++ },
    async store(all) {
      if (state.away) throw new Error('the database is away')
      written.push(all)
    },
  })
  return { uses, written, state }
}

test('many uses of a key between two writes are one, and no use is no write', async () => {
  const { uses, written } = fixture()
  await uses.flush()
  for (const id of ids('key_a', 'key_b', 'key_a', 'key_a')) uses.note(id)
  await uses.flush()
  await uses.flush()
  expect(written).toEqual([['key_a', 'key_b']])
  await uses.close()
})

test('what could not be written is written with the next', async () => {
  const { uses, written, state } = fixture()
  uses.note('key_a' as KeyId)
  state.away = true
  await uses.flush()
  expect(state.said).toBe(1)
  state.away = false
  uses.note('key_b' as KeyId)
  await uses.close()
  expect(written).toEqual([['key_a', 'key_b']])
})
