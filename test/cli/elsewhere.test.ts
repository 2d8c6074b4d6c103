/** Commands at a gateway elsewhere: after `toolway login`, the same operations over HTTP as the person who signed in. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeInstallation } from './installation.ts'

const PASSWORD = 'a long enough password'

test('keys, people and organizations of another gateway are those of the person who signed in there', async () => {
  await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
  const { address } = await here.start()
  const add = (email: string, ...more: string[]) =>
    here.run(['user', 'add', email, '--password-stdin', ...more], { input: PASSWORD })
  expect(await add('ada@example.com', '--platform-admin')).toMatchObject({ code: 0 })
  expect(await add('bob@example.com')).toMatchObject({ code: 0 })
  expect(await here.run(['member', 'add', 'bob@example.com', '--role', 'tenant_viewer'])).toMatchObject({ code: 0 })

  const settings = { TOOLWAY_DATA: join(here.folder, 'elsewhere') }
  const far = (...words: string[]) => here.run(words, { settings })
  const login = (email: string) =>
    here.run(['login', '--url', address, '--email', email, '--password-stdin'], { input: PASSWORD, settings })
  expect(await far('key', 'list')).toMatchObject({ code: 1, err: expect.stringContaining('There is no Toolway in') })

  expect(await login('ada@example.com')).toMatchObject({ code: 0 })
  expect(await far('key', 'add', 'far')).toMatchObject({ code: 0, out: expect.stringMatching(/^uru_[0-9a-f]{64}\n$/) })
  expect(await here.json(['key', 'list'])).toContainEqual(expect.objectContaining({ name: 'far', origin: 'admin' }))
  expect((await far('org', 'list')).out).toMatch(/^default +Default +yes +-$/m)

  expect(await login('bob@example.com')).toMatchObject({ code: 0 })
  const refused = await far('key', 'remove', 'far')
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('does not have the permission key_manage') })
  expect(await far('logout')).toMatchObject({ code: 0 })
  expect(await far('key', 'list')).toMatchObject({ code: 1, err: expect.stringContaining('There is no Toolway in') })
})
