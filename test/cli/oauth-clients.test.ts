// @module-tag long
import { expect, test } from 'vitest'
import { makeInstallation } from './installation.ts'

test('an OAuth client is added, listed and removed by the command line, and its secret is shown once', async () => {
  await using here = await makeInstallation()
  const running = await here.start()
  const added = (await here.json([
    'client',
    'add',
    'Our chat',
    '--redirect',
    'https://chat.example.com/cb',
    '--confidential',
  ])) as { client_id: string; client_secret: string }
  expect(added.client_id).toMatch(/^client_[0-9a-f]{32}$/)
  expect(added.client_secret).toMatch(/^tws_/)
  const listed = await here.run(['client', 'list', '--json'])
  expect(JSON.parse(listed.out)).toMatchObject([
    { client_id: added.client_id, name: 'Our chat', kind: 'added', redirect_uris: ['https://chat.example.com/cb'] },
  ])
  expect(listed.out).not.toContain(added.client_secret)
  const wrong = await here.run(['client', 'add', 'x', '--redirect', 'http://chat.example.com/cb'])
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('http: is allowed for this machine only')])
  expect((await here.run(['client', 'remove', added.client_id])).code).toBe(0)
  const again = await here.run(['client', 'remove', added.client_id])
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('There is no client')])
  await running.stop()
})
