import { expect, test } from 'vitest'
import type { Trail } from '../trail.ts'
import { takeOrganization } from './organization.ts'

const take = (args: Record<string, string>, connector = 'contract') => {
  const params = { arguments: args }
  takeOrganization(params, { connector }, {} as Trail)
  return params.arguments
}

test('the organization that a caller names is not sent, in whatever way it writes the name', () => {
  expect(take({ org_id: 'theirs', query: 'x' })).toEqual({ query: 'x' })
  for (const name of ['Org_ID', 'ORG_ID', 'org_i\u200Bd', 'ｏrg_id'])
    expect(() => take({ [name]: 'theirs' })).toThrow('read the argument at')
  expect(take({ Org_ID: 'a name of its own' }, 'mcp.http')).toEqual({ Org_ID: 'a name of its own' })
})
