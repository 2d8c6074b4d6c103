/** People by the command line: the setup code of a first start, signing in and out, users and members. */
// @module-tag long
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeInstallation, type Installation } from './installation.ts'

const ADA = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const CODE = /\b[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}\b/

const login = (here: Installation, email = ADA, input = PASSWORD, more: string[] = []) =>
  here.run(['login', '--email', email, '--password-stdin', ...more], { input })
const signInFile = (here: Installation) => join(here.data, 'sign-in.json')

describe('the first person', () => {
  test('signs up with the code of the first screen, signs in, is somebody, and signs out', async () => {
    await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
    const running = await here.start()
    expect(running.out()).toContain(`Console   ${running.address}`)
    const { code } = await here.firstSecrets()
    const add = (typed: string) =>
      here.run(['user', 'add', ADA, '--name', 'Ada', '--setup-code', typed, '--password-stdin'], { input: PASSWORD })
    expect(await add('AAAA-BBBB-CCCC-DDDD')).toMatchObject({
      code: 1,
      err: expect.stringContaining('This code is invalid'),
    })
    expect(await add(code.toLowerCase())).toMatchObject({ code: 0 })
    expect(await add(code)).toMatchObject({ code: 1 })

    expect(await login(here, ADA, 'a wrong password')).toMatchObject({
      code: 4,
      err: expect.stringContaining('Wrong email or password'),
    })
    const good = await login(here)
    expect(good).toMatchObject({ code: 0, err: '' })
    expect(((await stat(signInFile(here))).mode & 0o777).toString(8)).toBe('600')
    expect(await here.json(['whoami'])).toMatchObject({
      user: { email: ADA, platform_admin: true },
      organizations: [{ slug: 'default', role: 'platform_admin' }],
    })
    const { access_token: token } = JSON.parse(await readFile(signInFile(here), 'utf8'))
    const ask = () => fetch(`${running.address}/api/v1/admin/users`, { headers: { authorization: `Bearer ${token}` } })
    expect((await ask()).status).toBe(200)
    expect(await here.run(['logout'])).toMatchObject({ code: 0 })
    expect((await ask()).status).toBe(401)
    expect(await here.run(['whoami'])).toMatchObject({ code: 4, err: expect.stringContaining('toolway login') })
    expect(await here.run(['logout'])).toMatchObject({ code: 0 })

    expect(await running.stop()).toBe(0)
    for (const text of [running.out(), running.err()]) expect(text).not.toContain(PASSWORD)
    const second = await here.start()
    expect(second.out()).not.toMatch(CODE)
    expect(second.out()).not.toContain('signed up')
    expect(await here.run(['user', 'setup-code'])).toMatchObject({ code: 1, err: expect.stringContaining('signed up') })
  })

  test('can have a new code, which ends the one before, as long as nobody is there', async () => {
    await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
    const running = await here.start()
    const { code: old } = await here.firstSecrets()
    const { code } = (await here.json(['user', 'setup-code'])) as { code: string }
    const register = async (typed: string) => {
      const body = { setup_code: typed, email: ADA, name: 'Ada', password: PASSWORD }
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await fetch(`${running.address}/api/v1/auth/register`, init)).status
    }
    expect([await register(old), await register(code), await register(code)]).toEqual([403, 201, 403])
  })
})

describe('somebody who is signed in', () => {
  test('stays so when many commands renew at once, and is told when the sign-in has ended', async () => {
    await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
    await here.start()
    const { code } = await here.firstSecrets()
    await here.run(['user', 'add', ADA, '--setup-code', code, '--password-stdin'], { input: PASSWORD })
    await login(here)
    const before = JSON.parse(await readFile(signInFile(here), 'utf8'))
    await writeFile(signInFile(here), JSON.stringify({ ...before, expires_at: 0 }))
    const all = await Promise.all(Array.from({ length: 4 }, () => here.run(['whoami'])))
    for (const one of all) expect(one).toMatchObject({ code: 0, err: '' })
    const after = JSON.parse(await readFile(signInFile(here), 'utf8'))
    expect(after.refresh_token).not.toBe(before.refresh_token)

    await here.run(['user', 'password', ADA, '--password-stdin'], { input: 'another long password' })
    await writeFile(signInFile(here), JSON.stringify({ ...after, expires_at: 0 }))
    expect(await here.run(['whoami'])).toMatchObject({ code: 4, err: expect.stringContaining('Sign in again') })
    expect(await login(here)).toMatchObject({ code: 4 })
    expect(await login(here, ADA, 'another long password')).toMatchObject({ code: 0 })
  })

  test('sends the password to no other program on the gateway’s port', async () => {
    await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
    await using other = await makeInstallation({ TOOLWAY_DEMO: 'off' })
    await (await here.start()).stop()
    const stranger = await other.start()
    await writeFile(join(here.data, 'address'), stranger.address)
    expect(await login(here)).toMatchObject({ code: 4, err: expect.stringContaining('is not responding at') })
  })
})

describe('users and members', () => {
  test('are added, listed, given another role and removed', async () => {
    await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
    const running = await here.start()
    await here.run(['user', 'add', ADA, '--platform-admin', '--password-stdin'], { input: PASSWORD })
    const added = (await here.json(['member', 'add', 'bob@example.com', '--role', 'tenant_viewer'])) as { code: string }
    expect(added.code).toMatch(CODE)
    expect(await here.json(['member', 'list'])).toMatchObject([{ email: 'bob@example.com', role: 'tenant_viewer' }])
    expect(await here.json(['user', 'list'])).toMatchObject([
      { email: ADA, platform_admin: true },
      { email: 'bob@example.com', platform_admin: false },
    ])

    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ code: added.code, password: PASSWORD })
    await fetch(`${running.address}/api/v1/auth/password-code`, { method: 'POST', headers, body })
    expect(await login(here, 'bob@example.com')).toMatchObject({ code: 0 })
    const role = async () =>
      ((await here.json(['whoami'])) as { organizations: { role: string }[] }).organizations[0]?.role
    expect(await role()).toBe('tenant_viewer')
    expect(await here.run(['member', 'role', 'bob@example.com', 'tenant_admin'])).toMatchObject({ code: 0 })
    await expect.poll(role).toBe('tenant_admin')

    const last = await here.run(['member', 'remove', 'bob@example.com'])
    expect(last).toMatchObject({ code: 1, err: expect.stringContaining('last tenant_admin of default') })
    expect(await here.run(['member', 'add', ADA, '--role', 'tenant_admin'])).toMatchObject({ code: 0 })
    expect(await here.run(['member', 'remove', 'bob@example.com'])).toMatchObject({ code: 0 })
    expect(await here.run(['user', 'remove', ADA])).toMatchObject({
      code: 1,
      err: expect.stringContaining('last platform_admin of this installation'),
    })
    expect(await here.run(['user', 'remove', 'bob@example.com'])).toMatchObject({ code: 0 })
    await expect.poll(async () => (await here.run(['whoami'])).code).toBe(4)
    expect(await here.run(['user', 'remove', 'nobody@example.com'])).toMatchObject({ code: 1 })
    expect(await here.run(['member', 'add', 'no email'])).toMatchObject({ code: 2 })
    expect(await here.run(['user', 'add', 'short@example.com', '--password-stdin'], { input: 'short' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('12 to 1024 characters'),
    })
  })
})
