import { FAULTS } from '@toolway/contract'
import { expect, test } from 'vitest'
import { mendOf, mendsLoaded } from './mend.ts'

test('no mend in the console names a command', async () => {
  await mendsLoaded
  const told = Object.entries(FAULTS).map(([code, { mend }]) => [code, mendOf({ code, mend }) ?? ''] as const)
  // Faults of the bridge are met where there is no console.
  const commands = told.filter(([code, mend]) => !code.startsWith('bridge.') && /`|toolway [a-z]+|npx|npm /.test(mend))
  expect(commands).toEqual([])
})
