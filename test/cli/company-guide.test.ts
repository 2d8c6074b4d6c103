/** Tests that the guide to a company's first day is correct: its commands run as written, against a gateway that runs. */
// @module-tag long
import { expect, test } from 'vitest'
import { blocksOf, readGuide, runBlocks } from './guide-blocks.ts'
import { makeInstallation } from './installation.ts'

test('C-ID-17: the commands of the guide let a company in', async () => {
  await using here = await makeInstallation()
  const running = await here.start()
  const out = await runBlocks(here, blocksOf(await readGuide('company.md')), {})
  expect(out).toContain('ended in peace')
  expect(out).toMatch(/\/sign-in\/provider\/idp_\w+\/callback/)
  expect(out).toMatch(/_toolway\.acme\.example/)
  expect(out).toMatch(/twscim_/)
  expect(out).toMatch(/\/scim\/v2\/acme/)
  expect(await running.stop()).toBe(0)
})
