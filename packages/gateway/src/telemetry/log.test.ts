import { expect, test } from 'vitest'
import { createLogs } from './log.ts'

test('a line has its own facts and none of the lines before it', () => {
  const { log, tail } = createLogs('info')
  log.info({ organization_id: 'org_of_another', traces: ['x'] }, 'first')
  log.info({ code: 'own' }, 'second')
  const [, second = ''] = tail.recent()
  expect(JSON.parse(second)).toEqual({
    level: 'info',
    message: 'second',
    code: 'own',
    timestamp: expect.any(String) as string,
  })
})
