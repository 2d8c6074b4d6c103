import { Fault, type FamilyId } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { OPERATOR, type Principal } from '../../identity/principal.ts'
import { createTestVault } from '../../testing/gateway.ts'
import { createWebSession } from './web-session.ts'

const URL = 'https://tools.example.com'
const known: Principal = { ...OPERATOR, kind: 'user', id: 'usr_1', resource: URL, signInId: 'fam_1' as FamilyId }

const sessionAt = (url: string, principal = known) =>
  createWebSession({
    publicUrl: () => url,
    vault: createTestVault(),
    identify(authorization) {
      if (authorization !== 'Bearer a.b.c') throw new Fault('token.unknown')
      return principal
    },
  })

const tokens = {
  accessToken: 'a.b.c',
  refreshToken: 'twr_x',
  expiresIn: 1800,
  refreshExpiresIn: 604_800,
  signInId: 'fam_1' as FamilyId,
  boundTo: undefined,
  user: undefined as never,
}

describe('the cookies of a browser', () => {
  test('are Secure, HttpOnly, SameSite=Strict and of this host alone over https', () => {
    const [access, refresh, csrf] = sessionAt(URL).cookiesFor(tokens)
    expect(access).toBe('__Host-toolway_access=a.b.c; Path=/; Max-Age=1800; SameSite=Strict; HttpOnly; Secure')
    expect(refresh).toBe(
      '__Secure-toolway_refresh=twr_x; Path=/api/v1/auth; Max-Age=604800; SameSite=Strict; HttpOnly; Secure',
    )
    expect(csrf).toMatch(/^toolway_csrf=[\w-]{43}; Path=\/; Max-Age=604800; SameSite=Strict; Secure$/)
  })

  test('go over plain http where that is the address', () => {
    const [access] = sessionAt('http://127.0.0.1:8787').cookiesFor(tokens)
    expect(access).toBe('toolway_access=a.b.c; Path=/; Max-Age=1800; SameSite=Strict; HttpOnly')
  })

  test('say who is signed in; what is no token of ours says nobody', async () => {
    const session = sessionAt(URL)
    expect(await session.principalOf('x=1; __Host-toolway_access=a.b.c')).toBe(known)
    for (const cookies of [
      undefined,
      '',
      'toolway_access=a.b.c',
      '__Host-toolway_access=d.e.f',
      '__Host-toolway_access=uru_1',
    ])
      expect(await session.principalOf(cookies)).toBeUndefined()
  })

  test('hold no token that was made for something else, such as one MCP endpoint', async () => {
    const narrow = sessionAt(URL, { ...known, resource: `${URL}/mcp` })
    expect(await narrow.principalOf('__Host-toolway_access=a.b.c')).toBeUndefined()
  })

  test('need a CSRF token that is of the same sign-in', () => {
    const session = sessionAt(URL)
    const csrf = session.csrfOf('fam_1' as FamilyId)
    session.checkCsrf('fam_1' as FamilyId, csrf)
    const refused = expect.objectContaining({ code: 'request.csrf' })
    expect(() => session.checkCsrf('fam_2' as FamilyId, csrf)).toThrow(refused)
    expect(() => session.checkCsrf('fam_1' as FamilyId, undefined)).toThrow(refused)
    expect(() => session.checkCsrf(undefined, csrf)).toThrow(refused)
    expect(() => session.checkCsrf('fam_1' as FamilyId, `${csrf.slice(1)}A`)).toThrow(refused)
  })
})
