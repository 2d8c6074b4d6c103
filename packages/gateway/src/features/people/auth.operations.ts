/** The operations of signing in: for programs by tokens in the answer, for browsers by cookies that scripts cannot read. */
import { Fault, type Role } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { roleIn } from '../../snapshot/role.ts'
import { findByRefreshToken, isOfOrganizationsProvider, listSignIns, type SignInRow } from '../../identity/sign-ins.ts'
import { findUser, type UserRow } from '../../identity/users.ts'
import type { SystemSql } from '../../db/db.ts'
import type { Principal } from '../../identity/principal.ts'
import { accountForbidden } from '../../lib/role-forbidden.ts'
import { operationServers, type OperationBase, type OperationCall, type Served } from '../../operations/serve.ts'
import type { Enrolment } from './enrolment.ts'
import type { ProveAgain } from './prove-again.ts'
import type { SignIn, Tokens, WebCookies } from './sign-in.ts'
import type { SecondStep } from './second-step.ts'
import { eachOf } from '../../lib/unreadable-rows.ts'

/** The parts that the operations of signing in work with. */
export interface AuthParts extends OperationBase {
  readonly signIn: SignIn
  readonly enrolment: Enrolment
  readonly web: WebCookies
  readonly proveAgain: ProveAgain
}

const { serveAnyone, serveSignedIn } = operationServers<AuthParts>()

const toPerson = ({ id, email, name, platform_admin: admin }: UserRow): shapes.TokenPair['user'] => ({
  id,
  email,
  name,
  platform_admin: admin,
})

interface Answering {
  readonly parts: AuthParts
  readonly head: OperationCall['head']
}

/** Tokens in cookies, or in the answer; never in both. */
function answerWith({ parts, head }: Answering, tokens: Tokens, cookies: boolean): shapes.TokenPair {
  head.set('cache-control', 'no-store')
  if (cookies) for (const cookie of parts.web.cookiesFor(tokens)) head.append('set-cookie', cookie)
  const { accessToken, refreshToken, expiresIn, refreshExpiresIn, boundTo, user } = tokens
  return {
    token_type: 'Bearer',
    ...(cookies ? {} : { access_token: accessToken, refresh_token: refreshToken }),
    expires_in: expiresIn,
    refresh_expires_in: refreshExpiresIn,
    organization: boundTo ?? null,
    user: toPerson(user),
  }
}

/** What the person is asked for next. */
function askFor({ head }: Pick<Answering, 'head'>, { challenge, by, passkey, expiresIn }: SecondStep) {
  head.set('cache-control', 'no-store')
  return { second_step: { challenge, by: [...by], passkey: passkey ?? null, expires_in: expiresIn } }
}

const clientFor = (cookies: boolean | undefined) => (cookies === true ? 'browser' : 'command line')

async function whoami(parts: AuthParts, principal: Principal): Promise<shapes.Whoami> {
  const { userId } = principal
  const user = userId === undefined ? undefined : await parts.db.system((sql) => findUser(sql, userId))
  const organizations = parts.snapshots
    .all()
    .filter(({ organization: { id } }) => principal.organizationId === undefined || principal.organizationId === id)
    .flatMap(({ organization: { id, slug, name, active }, members }) => {
      const role: Role | undefined = roleIn(parts.accounts, principal, members)
      // One that is not active is there for who administers the platform, and for nobody else.
      return role === undefined || (!active && role !== 'platform_admin') ? [] : [{ id, slug, name, role }]
    })
  return {
    kind: principal.kind,
    id: principal.id,
    user: user === undefined ? null : toPerson(user),
    organization: principal.organizationId ?? null,
    limit: principal.limit,
    organizations,
  }
}

/** For people themselves: no key and no OAuth client changes how somebody signs in. Throws `login.needed`. */
function person({ kind, userId, signInId }: Principal) {
  if (kind !== 'user' || userId === undefined || signInId === undefined) throw new Fault('login.needed')
  return { userId, signInId }
}

/**
 * The sign-ins that a person may see and end: all of their own. The word of one organization's provider reaches those that are bound to
 * that organization alone.
 */
async function ownSignIns(sql: SystemSql, principal: Principal): Promise<SignInRow[]> {
  const { userId, signInId } = person(principal)
  const rows = await listSignIns(sql, userId)
  if (!(await isOfOrganizationsProvider(sql, signInId))) return rows
  return rows.filter(({ bound_to: organization }) => organization === principal.organizationId)
}

const toEntry = (row: SignInRow, current: string) => ({
  id: row.id,
  client: row.client,
  organization: row.bound_to,
  current: row.id === current,
  methods: row.methods,
  address: row.address,
  used_at: row.used_at.toISOString(),
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
})

/** From the body, or from the cookie of a browser; then its CSRF token must come along. */
function refreshTokenOf(
  { web }: AuthParts,
  header: OperationCall['header'],
  body: { refresh_token: string } | undefined,
) {
  if (body !== undefined) return { token: body.refresh_token, check: undefined }
  const token = web.refreshTokenOf(header('cookie'))
  const check = ({ id }: Pick<SignInRow, 'id'>) => web.checkCsrf(id, header('x-csrf-token'))
  return token === undefined ? undefined : { token, check }
}

export const authOperations: readonly Served<AuthParts>[] = [
  serveSignedIn(shapes.verifyAuth, ({ parts, principal }) => whoami(parts, principal)),
  serveSignedIn(shapes.showMe, ({ parts, principal }) => whoami(parts, principal)),

  serveAnyone(shapes.register, async ({ parts, head, actor, body }) => {
    const { setup_code: code, email, name, password, organization, cookies } = body
    const user = await parts.enrolment.register(actor, { code, email, name, password })
    const scope = { organization, client: clientFor(cookies) } as const
    const tokens = await parts.signIn.as(actor, { user, methods: ['pwd'], how: 'setup code', scope })
    return answerWith({ parts, head }, tokens, cookies === true)
  }),

  serveAnyone(shapes.login, async ({ parts, head, actor, body }) => {
    const signInRequest = { organization: body.organization, client: clientFor(body.cookies) } as const
    const result =
      'password' in body
        ? await parts.signIn.withPassword(actor, body.email, body.password, signInRequest)
        : await parts.signIn.withProviderToken(actor, body.provider_token, signInRequest)
    return 'challenge' in result ? askFor({ head }, result) : answerWith({ parts, head }, result, body.cookies === true)
  }),

  serveAnyone(shapes.finishLogin, async ({ parts, head, actor, body }) => {
    const { challenge, cookies, ...proof } = body
    return answerWith({ parts, head }, await parts.signIn.withSecondFactor(actor, challenge, proof), cookies === true)
  }),

  serveAnyone(shapes.refresh, async ({ parts, head, actor, header, body }) => {
    const refreshToken = refreshTokenOf(parts, header, body)
    if (refreshToken === undefined) throw new Fault('refresh.unknown')
    const tokens = await parts.signIn.refresh(actor, refreshToken.token, refreshToken.check)
    return answerWith({ parts, head }, tokens, refreshToken.check !== undefined)
  }),

  serveAnyone(shapes.logout, async ({ parts, head, actor, header, body }) => {
    const refreshToken = refreshTokenOf(parts, header, body)
    if (refreshToken?.check !== undefined) {
      for (const cookie of parts.web.clearing()) head.append('set-cookie', cookie)
      const family = await parts.db.system((sql) => findByRefreshToken(sql, parts.signIn.hashOf(refreshToken.token)))
      if (family !== undefined) refreshToken.check(family)
    }
    if (refreshToken !== undefined) await parts.signIn.end(actor, refreshToken)
    return undefined
  }),

  serveSignedIn(shapes.changePassword, async ({ parts, head, actor, principal, header, body, read }) => {
    const { userId, signInId: after } = person(principal)
    if (await read((sql) => isOfOrganizationsProvider(sql, after))) throw accountForbidden()
    const user = await parts.enrolment.changePassword(actor, userId, body.current_password, body.new_password)
    const cookies = header('authorization') === undefined
    const scope = { organization: principal.organizationId, client: clientFor(cookies) } as const
    // The sign-in goes on: a password alone makes it no younger, and proves no second factor.
    const first = { user, methods: principal.proof?.methods ?? [], how: 'password change', scope, after }
    return answerWith({ parts, head }, await parts.signIn.as(actor, first), cookies)
  }),

  serveAnyone(shapes.choosePassword, async ({ parts, actor, body }) => {
    await parts.enrolment.choosePassword(actor, body.code, body.password)
    return undefined
  }),

  serveAnyone(shapes.findCodeOwner, async ({ parts, actor, body, head }) => {
    head.set('cache-control', 'no-store')
    return { email: (await parts.enrolment.ownerOfCode(actor, body.code)).email }
  }),

  serveSignedIn(shapes.listSignIns, async ({ principal, read }) => {
    const { signInId } = person(principal)
    const rows = await read((sql) => ownSignIns(sql, principal))
    return { items: eachOf(rows, (row) => toEntry(row, signInId)) }
  }),

  serveSignedIn(shapes.endSignIns, async ({ parts, actor, principal, read }) => {
    const { userId, signInId } = person(principal)
    const others = (await read((sql) => ownSignIns(sql, principal))).filter(({ id }) => id !== signInId)
    for (const { id } of others) await parts.signIn.end(actor, { id, userId })
    return { ended: others.length }
  }),

  serveSignedIn(shapes.beginProof, async ({ parts, principal, head }) => {
    head.set('cache-control', 'no-store')
    const { by, challenge, options } = await parts.proveAgain.begin(person(principal))
    return { by: [...by], challenge: challenge ?? null, options: options ?? null }
  }),

  serveSignedIn(shapes.proveAgain, async ({ parts, actor, principal, body }) => {
    await parts.proveAgain.prove(actor, person(principal), body)
    return undefined
  }),

  serveSignedIn(shapes.endSignIn, async ({ parts, actor, principal, params, read }) => {
    const { userId } = person(principal)
    const found = (await read((sql) => ownSignIns(sql, principal))).find(({ id }) => id === params['id'])
    if (found === undefined) throw new Fault('thing.unknown', { thing: 'sign-in' })
    await parts.signIn.end(actor, { id: found.id, userId })
    return undefined
  }),
]
