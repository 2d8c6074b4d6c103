/** `toolway user`: people of this installation, on the local store. */
import { passwordSet } from '../../admin/people/enrolment.ts'
import { nameOf } from '../../admin/people/members.ts'
import { invite, inviteAgain, remove as removePerson, replacePassword } from '../../admin/people/people.ts'
import { newSetUpCode } from '../../identity/codes.ts'
import { addUser, listUsers } from '../../identity/users.ts'
import { DEFAULT_SLUG } from '../../organizations/organizations.ts'
import { recordChange } from '../../records/change.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import { checkEmail, getPerson, withPeople } from './people-store.ts'
import { readNewPassword } from '../terminal/terminal.ts'

export interface AddWords {
  readonly email: string
  readonly name?: string
  readonly platformAdmin?: boolean
  readonly setupCode?: string
  readonly passwordStdin?: boolean
}

export async function add(words: AddWords, output: Output): Promise<number> {
  const { email, name = nameOf(email), platformAdmin = false, setupCode, passwordStdin = false } = words
  checkEmail(email)
  if (setupCode !== undefined) return addFirst({ ...words, name }, setupCode, output)
  return withPeople(DEFAULT_SLUG, async ({ db, vault, actor, passwords }) => {
    const password = passwordStdin ? await passwords.hash(await readNewPassword(true)) : undefined
    const { user, invitation } = await db.system(async (sql) => {
      const made =
        password === undefined
          ? await invite(sql, vault.hash, { email, name, platformAdmin })
          : { user: await addUser(sql, { email, name, password, platformAdmin }), invitation: undefined }
      const { user } = made
      if (user === undefined) throw new CommandFault(`Somebody here has the email ${email} already.`)
      const detail = { email: user.email, platform_admin: platformAdmin }
      await recordChange(sql, actor, undefined, { action: 'user.add', resource: 'user', id: user.id, detail })
      return { user, invitation: made.invitation }
    })
    output.result({ email: user.email, platform_admin: platformAdmin, code: invitation?.code ?? null }, [
      `Added ${user.email}.`,
      ...(invitation === undefined ? [] : codeLines(invitation)),
      `\`toolway member add ${user.email}\` lets them into an organization.`,
    ])
    return EXIT.ok
  })
}

const codeLines = ({ code, expiresAt }: { code: string; expiresAt: Date }): string[] => [
  `Code: ${code}`,
  `With it they choose a password at /sign-in/code, once, until ${expiresAt.toISOString().slice(0, 16)}Z.`,
]

const addFirst = ({ email, name, passwordStdin = false }: AddWords & { name: string }, code: string, output: Output) =>
  withPeople(DEFAULT_SLUG, async ({ enrolment, actor }) => {
    const password = await readNewPassword(passwordStdin)
    const user = await enrolment.register(actor, { code, email, name, password })
    output.result({ email: user.email, platform_admin: true }, [
      `Added ${user.email}, who administers this installation and the organization ${DEFAULT_SLUG}.`,
    ])
    return EXIT.ok
  })

export const list = (output: Output): Promise<number> =>
  withPeople(DEFAULT_SLUG, async ({ db }) => {
    const people = (await db.system((sql) => listUsers(sql, { limit: 10_000, offset: 0 }))).map((user) => ({
      email: user.email,
      name: user.name,
      platform_admin: user.platform_admin,
      is_active: user.active,
      provider: user.provider,
      signed_in_at: user.signed_in_at?.toISOString() ?? null,
    }))
    output.result(
      people,
      table(
        ['EMAIL', 'NAME', 'PLATFORM', 'ACTIVE', 'SIGNS IN BY', 'LAST SIGN-IN'],
        people.map((one) => [
          one.email,
          one.name,
          one.platform_admin ? 'admin' : '',
          one.is_active ? 'yes' : 'no',
          one.provider,
          one.signed_in_at ?? 'never',
        ]),
      ),
    )
    return EXIT.ok
  })

export const remove = (email: string, output: Output): Promise<number> =>
  withPeople(DEFAULT_SLUG, async ({ db, actor }) => {
    await db.system(async (sql) => {
      const user = await removePerson(sql, (await getPerson(sql, email)).id)
      const detail = { email: user.email }
      await recordChange(sql, actor, undefined, { action: 'user.remove', resource: 'user', id: user.id, detail })
    })
    output.result({ removed: email }, [`Removed ${email} with their memberships, keys and sign-ins.`])
    return EXIT.ok
  })

export interface PasswordWords {
  readonly passwordStdin?: boolean
  readonly code?: boolean
}

export const password = (email: string, { passwordStdin = false, code = false }: PasswordWords, output: Output) =>
  withPeople(DEFAULT_SLUG, async ({ db, vault, actor, passwords }) => {
    const { id } = await db.system((sql) => getPerson(sql, email))
    if (code) {
      const { invitation } = await db.system(async (sql) => {
        const made = await inviteAgain(sql, vault.hash, id)
        await recordChange(sql, actor, undefined, { action: 'user.password_code', resource: 'user', id })
        return made
      })
      output.result({ email, code: invitation.code }, codeLines(invitation))
      return EXIT.ok
    }
    const hashed = await passwords.hash(await readNewPassword(passwordStdin))
    await db.system(async (sql) => {
      const ended = await replacePassword(sql, id, hashed)
      await recordChange(sql, actor, undefined, passwordSet(id, 'command line', ended))
    })
    output.result({ email }, [`${email} has a new password; what was signed in before is signed out.`])
    return EXIT.ok
  })

export const setUpCode = (output: Output): Promise<number> =>
  withPeople(DEFAULT_SLUG, async ({ db, vault, actor }) => {
    const code = await db.system(async (sql) => {
      const made = await newSetUpCode(sql, vault.hash)
      const change = { action: 'set_up_code.add', resource: 'installation', id: 'set-up code' }
      if (made !== undefined) await recordChange(sql, actor, undefined, change)
      return made
    })
    if (code === undefined)
      throw new CommandFault('Somebody has signed up here: `toolway user add EMAIL --platform-admin` adds another.')
    output.result({ code }, [
      code,
      ...(output.json
        ? []
        : ['The first person signs up with it, at /sign-in or with `toolway user add --setup-code`; once.']),
    ])
    return EXIT.ok
  })
