/** `toolway group`: groups of an organization's members, on the local store. Gateways that run hear of it. */
import { joinGroup, leaveGroup, listWithMembers, putGroup, removeGroup } from '../../admin/people/groups.ts'
import { recordChange } from '../../records/change.ts'
import { EXIT, table, type Output } from '../terminal/output.ts'
import { getPerson, withPeople } from './people-store.ts'

export const list = (organization: string, output: Output): Promise<number> =>
  withPeople(organization, async ({ db, organization: own }) => {
    const groups = await db.organization(own.id, listWithMembers)
    output.result(
      groups.map(({ slug, title, members, awaited, origin }) => ({
        slug,
        title,
        members: members.map(({ email }) => email),
        awaited: awaited.filter((email) => !members.some((member) => member.email === email)),
        origin,
      })),
      groups.length === 0
        ? ['No groups yet: `toolway group add --help`.']
        : table(
            ['GROUP', 'TITLE', 'FROM', 'MEMBERS'],
            groups.map(({ slug, title, origin, members }) => [
              ...[slug, title, origin],
              members.map(({ email }) => email).join(', ') || 'nobody',
            ]),
          ),
    )
    return EXIT.ok
  })

export const add = (organization: string, slug: string, title: string | undefined, output: Output): Promise<number> =>
  withPeople(organization, async ({ db, actor, organization: own }) => {
    await db.organization(own.id, async (sql) => {
      await putGroup(sql, own.id, slug, { title })
      await recordChange(sql, actor, own.id, { action: 'group.put', resource: 'group', id: slug, detail: { title } })
    })
    output.result({ group: slug }, [
      `The group ${slug} is there; \`toolway group join ${slug} EMAIL\` lets members in.`,
    ])
    return EXIT.ok
  })

export const remove = (organization: string, slug: string, output: Output): Promise<number> =>
  withPeople(organization, async ({ db, actor, organization: own }) => {
    await db.organization(own.id, async (sql) => {
      await removeGroup(sql, slug)
      await recordChange(sql, actor, own.id, { action: 'group.remove', resource: 'group', id: slug })
    })
    output.result({ removed: slug }, [`Removed the group ${slug}. Rules that name it fit nobody by it any more.`])
    return EXIT.ok
  })

export interface Moving {
  readonly organization: string
  readonly slug: string
  readonly emails: readonly string[]
  readonly to: 'join' | 'leave'
}

export const move = ({ organization, slug, emails, to }: Moving, output: Output): Promise<number> =>
  withPeople(organization, async ({ db, actor, organization: own }) => {
    const people = await db.system(async (sql) => {
      const found = []
      for (const email of emails) found.push(await getPerson(sql, email))
      return found
    })
    await db.organization(own.id, async (sql) => {
      for (const { id } of people) {
        if (to === 'join') await joinGroup(sql, own.id, slug, id)
        else await leaveGroup(sql, slug, id)
        const change = { action: `group.${to}`, resource: 'group', id: slug, detail: { user: id } }
        await recordChange(sql, actor, own.id, change)
      }
    })
    const who = people.map(({ email }) => email).join(', ')
    const told =
      to === 'join' ? `${who}: in the group ${slug} from now on.` : `${who}: not in the group ${slug} any more.`
    output.result({ group: slug, [to === 'join' ? 'joined' : 'left']: people.map(({ email }) => email) }, [told])
    return EXIT.ok
  })
