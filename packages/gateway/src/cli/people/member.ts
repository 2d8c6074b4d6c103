/** `toolway member`: who is in an organization, on the local store. */
import type { MemberRole } from '@toolway/contract/admin'
import { changeRole, join, leave } from '../../admin/people/members.ts'
import { listMembers } from '../../organizations/members.ts'
import { recordChange } from '../../records/change.ts'
import { EXIT, table, type Output } from '../terminal/output.ts'
import { checkEmail, getPerson, withPeople } from './people-store.ts'

export interface Adding {
  readonly organization: string
  readonly email: string
  readonly role: MemberRole
  readonly vouch: boolean
}

/** Whoever has the data directory speaks for the platform. */
export const add = ({ organization, email, role, vouch }: Adding, output: Output): Promise<number> => {
  checkEmail(email)
  return withPeople(organization, async ({ db, vault, actor, organization: own }) => {
    const { user, invitation } = await db.system(async (sql) => {
      const joined = await join(sql, vault, {
        ...{ organizationId: own.id, email, name: undefined, role, vouch },
        byPlatform: true,
      })
      const detail = { email: joined.user.email, role, invited: joined.invitation !== undefined }
      await recordChange(sql, actor, own.id, { action: 'member.add', resource: 'member', id: joined.user.id, detail })
      return joined
    })
    output.result({ email: user.email, role, code: invitation?.code ?? null }, [
      `${user.email} is ${role} of ${own.slug}.`,
      ...(invitation === undefined
        ? []
        : [`Code: ${invitation.code}`, 'With it they choose a password at /sign-in/code, once, within three days.']),
    ])
    return EXIT.ok
  })
}

export const list = (organization: string, output: Output): Promise<number> =>
  withPeople(organization, async ({ db, organization: own }) => {
    const rows = await db.organization(own.id, (sql) => listMembers(sql, { limit: 10_000, offset: 0 }))
    const members = rows.map(({ email, name, role, active, signed_in_at: at }) => ({
      email,
      name,
      role,
      is_active: active,
      signed_in_at: at?.toISOString() ?? null,
    }))
    output.result(
      members,
      table(
        ['EMAIL', 'NAME', 'ROLE', 'LAST SIGN-IN'],
        members.map((one) => [one.email, one.name, one.role, one.signed_in_at ?? 'never']),
      ),
    )
    return EXIT.ok
  })

export const role = (organization: string, email: string, wanted: MemberRole, output: Output): Promise<number> =>
  withPeople(organization, async ({ db, actor, organization: own }) => {
    const { id } = await db.system((sql) => getPerson(sql, email))
    await db.organization(own.id, async (sql) => {
      const { before } = await changeRole(sql, own.slug, id, wanted)
      const detail = { role: wanted, before: before.role }
      await recordChange(sql, actor, own.id, { action: 'member.change', resource: 'member', id, detail })
    })
    output.result({ email, role: wanted }, [`${email} is ${wanted} of ${own.slug}; it counts at once.`])
    return EXIT.ok
  })

export const remove = (organization: string, email: string, output: Output): Promise<number> =>
  withPeople(organization, async ({ db, actor, organization: own }) => {
    const { id } = await db.system((sql) => getPerson(sql, email))
    await db.organization(own.id, async (sql) => {
      const before = await leave(sql, own.slug, id)
      const detail = { role: before.role }
      await recordChange(sql, actor, own.id, { action: 'member.remove', resource: 'member', id, detail })
    })
    output.result({ removed: email }, [`${email} is no member of ${own.slug} any more, and their keys there are gone.`])
    return EXIT.ok
  })
