/** Groups of members by the command line. */
// @module-tag long
import { expect, test } from 'vitest'
import { makeInstallation } from './installation.ts'

test('a group is made, joined, listed, left and removed', async () => {
  await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
  const running = await here.start()
  await here.run(['member', 'add', 'ada@example.com'])
  expect(await here.run(['group', 'add', 'finance', '--title', 'Finance'])).toMatchObject({ code: 0 })
  expect(await here.run(['group', 'join', 'finance', 'ada@example.com'])).toMatchObject({ code: 0 })
  expect(await here.run(['group', 'join', 'finance', 'eve@example.com'])).toMatchObject({ code: 1 })
  expect(await here.json(['group', 'list'])).toEqual([
    { slug: 'finance', title: 'Finance', members: ['ada@example.com'], awaited: [], origin: 'administration' },
  ])
  expect(await here.run(['group', 'leave', 'finance', 'ada@example.com'])).toMatchObject({ code: 0 })
  expect((await here.run(['group', 'list'])).out).toContain('nobody')
  expect(await here.run(['group', 'remove', 'finance'])).toMatchObject({ code: 0 })
  expect(await here.run(['group', 'remove', 'finance'])).toMatchObject({ code: 1 })
  await running.stop()
})
