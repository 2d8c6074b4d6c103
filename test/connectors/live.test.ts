/** The check against a real vendor, tried on a double of GitHub: it reads, says what it lacks, and prints no token. */
// @module-tag long
import { expect, test } from 'vitest'
import { CONNECTORS } from '../../packages/connectors/src/index.ts'
import { createVendorApi } from '../e2e/peers/vendors/vendor-api.ts'
import { startVendors } from '../e2e/peers/vendors/vendors.ts'
import { descriptionsFolder } from './descriptions.ts'
import { tryLive } from './live.ts'

const folder = descriptionsFolder()

test.skipIf(folder === undefined)('the live check runs the tools that read, and those alone', async () => {
  const github = await CONNECTORS['github']?.load()
  if (github === undefined || folder === undefined) throw new Error('there is no GitHub')
  const token = 'ghp_0123456789abcdef'
  const api = createVendorApi(folder, github, (given) => given === token)
  await using doubles = await startVendors([api])
  const url = doubles.map('https://api.github.com')
  const lines = await tryLive({ id: 'github', token, values: { owner: 'o', repo: 'r' }, url }, () => undefined)
  const of = (tool: string) => lines.find((line) => line.tool === tool)
  expect(of('github_list_issues')).toMatchObject({ state: 'read', says: expect.stringMatching(/items, \d+ bytes/) })
  expect(of('github_get_issue')).toMatchObject({ state: 'skipped', says: 'needs issue_number=…' })
  expect(of('github_create_issue')).toBeUndefined()
  expect(lines.filter(({ state }) => state === 'failed')).toEqual([])
  expect(api.served.filter(({ method }) => method !== 'GET')).toEqual([])
  await expect(tryLive({ id: 'nobody', token, values: {} }, () => undefined)).rejects.toThrow(/There is no connector/)
})
