import { expect, test } from 'vitest'
import { createTestAuditLog } from '../../testing/audit-log.ts'
import type { ToolTarget } from '../../catalog/tool-listing.ts'
import type { CallParts } from '../call-parts.ts'
import { organizationArgument as step } from './organization-argument.ts'
import type { Call } from './step.ts'

const take = (args: Record<string, string>, connector = 'contract') => {
  const params = { arguments: args }
  const target = { connector } as ToolTarget
  if (step.applies(target))
    void step.before?.({ params, target, audit: createTestAuditLog().begin(0) } as unknown as Call, {} as CallParts)
  return params.arguments
}

test('the organization that a caller names is not sent, in whatever way it writes the name', () => {
  expect(take({ org_id: 'theirs', query: 'x' })).toEqual({ query: 'x' })
  for (const name of ['Org_ID', 'ORG_ID', 'org_i\u200Bd', 'ｏrg_id'])
    expect(() => take({ [name]: 'theirs' })).toThrow('read the argument at')
  expect(take({ Org_ID: 'a name of its own' }, 'mcp.http')).toEqual({ Org_ID: 'a name of its own' })
})
