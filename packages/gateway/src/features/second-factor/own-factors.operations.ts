/** The operations on one's own second factors. What changes them needs a recent proof (`NEEDS_PROOF`). */
import { Fault, type FamilyId, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'
import type { Attempts } from '../../identity/attempts.ts'
import type { Principal } from '../../identity/principal.ts'
import { endSignInsOf, isOfOrganizationsProvider, noteProof } from '../../identity/sign-ins.ts'
import { findUser } from '../../identity/users.ts'
import { accountForbidden } from '../../lib/role-forbidden.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import type { Vault } from '../../vault/vault.ts'
import { createSealedSteps } from '../people/index.ts'
import { mintSecret, stepOf, storeApp, uriOf } from './authenticator-apps.ts'
import { creationOptions, readNewPasskey, siteOf, type Owner, type Site } from './passkeys.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'
import * as rows from './second-factors.rows.ts'

/** The parts that these operations work with. */
export interface OwnFactorParts extends OperationBase {
  readonly attempts: Attempts
  publicUrl(): string
}

const { serveSignedIn } = operationServers<OwnFactorParts>()

const MOST = { passkeys: 20, apps: 5 }

const toPasskey = ({ id, name, synced, created_at, used_at }: rows.PasskeyRow): shapes.SecondFactor => ({
  id,
  kind: 'passkey',
  name,
  synced,
  created_at: created_at.toISOString(),
  used_at: used_at?.toISOString() ?? null,
})
const toApp = ({ id, name, created_at, used_at }: rows.AppRow): shapes.SecondFactor => ({
  id,
  kind: 'app',
  name,
  synced: null,
  created_at: created_at.toISOString(),
  used_at: used_at?.toISOString() ?? null,
})
const listAll = async (sql: SystemSql, user: UserId): Promise<shapes.SecondFactor[]> => [
  ...(await rows.listPasskeys(sql, user)).map(toPasskey),
  ...(await rows.listApps(sql, user)).map(toApp),
]

/** For people themselves: no key changes how somebody signs in. Throws `login.needed`. */
function personOf({ kind, userId, signInId }: Principal): { user: UserId; signIn: FamilyId } {
  if (kind !== 'user' || userId === undefined || signInId === undefined) throw new Fault('login.needed')
  return { user: userId, signIn: signInId }
}

/**
 * The same, where the account itself is proven: whoever administers the provider of one organization could otherwise add a factor of
 * their own, and sign in with it to every other one. Throws `role.forbidden`.
 */
async function accountOf({ db }: OwnFactorParts, principal: Principal): Promise<ReturnType<typeof personOf>> {
  const own = personOf(principal)
  if (!(await db.system((sql) => isOfOrganizationsProvider(sql, own.signIn)))) return own
  throw accountForbidden()
}

async function ownerOf(sql: SystemSql, user: UserId): Promise<Owner> {
  const row = await findUser(sql, user)
  if (row === undefined) throw new Fault('token.unknown')
  return row
}

/** Throws `passkey.address`. */
function siteOrRefuse({ publicUrl }: OwnFactorParts): Site {
  const site = siteOf(publicUrl())
  if (site === undefined) throw new Fault('passkey.address')
  return site
}

const steps = (vault: Vault) => ({
  passkeys: createSealedSteps(
    { vault, now: Date.now },
    'passkey to add',
    z.strictObject({ user: z.string(), expected: z.string() }),
  ),
  apps: createSealedSteps(
    { vault, now: Date.now },
    'app to add',
    z.strictObject({ user: z.string(), secret: z.string() }),
  ),
})

/** Whether an organization of the person, or the installation, requires a second factor. */
const isRequired = ({ accounts, snapshots }: OwnFactorParts, user: UserId): boolean =>
  accounts.find(user)?.must_have_second_factor === true ||
  snapshots
    .all()
    .some(({ members, organization }) => members.has(user) && organization.settings.second_factor === 'required')

/**
 * After another factor was added: with the first one come recovery codes, and every other sign-in ends, because each of them was proven
 * by less. Grants of OAuth clients stay.
 */
async function afterAdding(
  sql: SystemSql,
  vault: Vault,
  { user, signIn, method }: { readonly user: UserId; readonly signIn: FamilyId; readonly method: 'otp' | 'hwk' },
): Promise<string[] | null> {
  await noteProof(sql, signIn, method)
  const isFirst = (await listAll(sql, user)).length === 1
  if (isFirst) await endSignInsOf(sql, user, 'a second factor was added', { but: signIn, clients: 'own' })
  const left = await rows.countRecoveryCodes(sql, user)
  return left > 0 ? null : makeRecoveryCodes(sql, vault.hash, user)
}

const added = (id: string, kind: 'passkey' | 'app') => ({
  action: 'second_factor.add' as const,
  resource: 'user',
  id,
  detail: { kind },
})

const addOperations: readonly Served<OwnFactorParts>[] = [
  serveSignedIn(shapes.beginPasskey, async ({ parts, principal, read, head }) => {
    const { user } = await accountOf(parts, principal)
    const site = siteOrRefuse(parts)
    head.set('cache-control', 'no-store')
    const options = await read(async (sql) => creationOptions(sql, site, await ownerOf(sql, user)))
    const challenge = steps(parts.vault).passkeys.seal({ user, expected: options.challenge })
    return { challenge, options: { ...options } }
  }),

  serveSignedIn(shapes.addPasskey, async ({ parts, principal, body, change, head }) => {
    const { user, signIn } = await accountOf(parts, principal)
    const { passkeys } = steps(parts.vault)
    const state = passkeys.open(body.challenge)
    if (state.user !== user) throw new Fault('factor.late')
    const { name, passkey } = body
    const site = siteOrRefuse(parts)
    const made = await readNewPasskey({ site, user, name, expected: state.expected, passkey })
    head.set('cache-control', 'no-store')
    const result = await change(
      () => added(user, 'passkey'),
      async (sql) => {
        await rows.lockPerson(sql, user)
        if ((await rows.listPasskeys(sql, user)).length >= MOST.passkeys)
          throw new Fault('factor.many', { limit: MOST.passkeys })
        await passkeys.spend(sql, state)
        const row = await rows.addPasskey(sql, made)
        if (row === undefined) throw new Fault('passkey.wrong')
        return { row, codes: await afterAdding(sql, parts.vault, { user, signIn, method: 'hwk' }) }
      },
    )
    await parts.accounts.load([user])
    return { second_factor: toPasskey(result.row), recovery_codes: result.codes }
  }),

  serveSignedIn(shapes.beginAuthenticatorApp, async ({ parts, principal, read, head }) => {
    const { user } = await accountOf(parts, principal)
    head.set('cache-control', 'no-store')
    const secret = mintSecret()
    const { email } = await read((sql) => ownerOf(sql, user))
    const challenge = steps(parts.vault).apps.seal({ user, secret })
    return { challenge, secret, uri: uriOf(secret, email, new URL(parts.publicUrl()).hostname) }
  }),

  serveSignedIn(shapes.addAuthenticatorApp, async ({ parts, actor, principal, body, change, head }) => {
    const { user, signIn } = await accountOf(parts, principal)
    const { apps } = steps(parts.vault)
    const state = apps.open(body.challenge)
    if (state.user !== user) throw new Fault('factor.late')
    const good = parts.attempts.begin(`app to add ${user}`, actor.address)
    const step = stepOf(state.secret, body.code.replaceAll(/\s/g, ''), Date.now())
    if (step === undefined) throw new Fault('factor.wrong')
    good()
    head.set('cache-control', 'no-store')
    const result = await change(
      () => added(user, 'app'),
      async (sql) => {
        await rows.lockPerson(sql, user)
        if ((await rows.listApps(sql, user)).length >= MOST.apps) throw new Fault('factor.many', { limit: MOST.apps })
        await apps.spend(sql, state)
        const row = await storeApp(sql, parts.vault, { user, secret: state.secret, name: body.name, step })
        return { row, codes: await afterAdding(sql, parts.vault, { user, signIn, method: 'otp' }) }
      },
    )
    await parts.accounts.load([user])
    return { second_factor: toApp(result.row), recovery_codes: result.codes }
  }),
]

export const ownFactorOperations: readonly Served<OwnFactorParts>[] = [
  serveSignedIn(shapes.listSecondFactors, async ({ parts, principal, read }) => {
    const { user } = personOf(principal)
    const [items, codes] = await read(
      async (sql) => [await listAll(sql, user), await rows.countRecoveryCodes(sql, user)] as const,
    )
    const hasSite = siteOf(parts.publicUrl()) !== undefined
    return { items, recovery_codes: codes, required: isRequired(parts, user), passkeys: hasSite }
  }),

  ...addOperations,

  serveSignedIn(shapes.renameSecondFactor, async ({ parts, principal, params, body, change }) => {
    const { user } = await accountOf(parts, principal)
    const id = params['factor'] ?? ''
    return change(
      () => ({ action: 'second_factor.change', resource: 'user', id: user, detail: { factor: id } }),
      async (sql) => {
        const isThere = await rows.rename(sql, user, id, body.name)
        const found = isThere ? (await listAll(sql, user)).find((factor) => factor.id === id) : undefined
        if (found === undefined) throw new Fault('thing.unknown', { thing: 'second factor' })
        return found
      },
    )
  }),

  serveSignedIn(shapes.removeSecondFactor, async ({ parts, principal, params, change }) => {
    const { user } = await accountOf(parts, principal)
    const id = params['factor'] ?? ''
    await change(
      () => ({ action: 'second_factor.remove', resource: 'user', id: user, detail: { factor: id } }),
      async (sql) => {
        await rows.lockPerson(sql, user)
        if (!(await rows.remove(sql, user, id))) throw new Fault('thing.unknown', { thing: 'second factor' })
        if (isRequired(parts, user) && (await listAll(sql, user)).length === 0) throw new Fault('factor.required')
      },
    )
    await parts.accounts.load([user])
    return undefined
  }),

  serveSignedIn(shapes.newRecoveryCodes, async ({ parts, principal, change, head }) => {
    const { user } = await accountOf(parts, principal)
    head.set('cache-control', 'no-store')
    const codes = await change(
      () => ({ action: 'second_factor.codes', resource: 'user', id: user }),
      async (sql) => {
        await rows.lockPerson(sql, user)
        // Without a second factor nothing would ask for them.
        if ((await listAll(sql, user)).length === 0) throw new Fault('thing.unknown', { thing: 'second factor' })
        return makeRecoveryCodes(sql, parts.vault.hash, user)
      },
    )
    return { recovery_codes: codes }
  }),
]
