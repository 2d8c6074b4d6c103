/** `toolway group …`: groups of an organization's members. */
import { joinGroup, leaveGroup, listGroups, putGroup, removeGroup } from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { table } from '../../cli/terminal/output.ts'
import { listAll } from '../../cli/transport/transport.ts'
import { getMember } from './find-person.command.ts'

interface OrganizationOption {
  readonly organization: string
}
interface GroupArgument extends OrganizationOption {
  readonly group: string
}

const list = describeCommand({
  name: 'list',
  about: 'list the groups of an organization with their members',
  examples: ['toolway group list'],
  call: (transport, { organization }: OrganizationOption) =>
    listAll(transport, listGroups, { params: { organization } }),
  print: (items) => ({
    value: items.map(({ members, awaited, ...rest }) => ({
      ...rest,
      members: members.map(({ email }) => email),
      awaited: awaited.filter((email) => !members.some((member) => member.email === email)),
    })),
    lines:
      items.length === 0
        ? ['No groups yet. To create one, see `toolway group add --help`.']
        : table(
            ['GROUP', 'TITLE', 'FROM', 'MEMBERS'],
            items.map(({ slug, title, origin, members }) => [
              ...[slug, title, origin],
              members.map(({ email }) => email).join(', ') || 'nobody',
            ]),
          ),
  }),
})

const add = describeCommand({
  name: 'add',
  about: 'create a group, or change its title',
  arguments: [new Argument('<group>', 'name used in rules')],
  options: [new Option('--title <text>', 'display name')],
  examples: ['toolway group add finance --title "Finance"'],
  call: ({ call }, { organization, group, title }: GroupArgument & { title?: string }) =>
    call(putGroup, { params: { organization, group }, body: { title } }),
  print: ({ slug }) => ({
    value: { group: slug },
    lines: [`The group ${slug} was saved. \`toolway group join ${slug} EMAIL\` adds members.`],
  }),
})

const remove = describeCommand({
  name: 'remove',
  about: 'remove a group',
  arguments: [new Argument('<group>')],
  examples: ['toolway group remove finance'],
  call: ({ call }, { organization, group }: GroupArgument) => call(removeGroup, { params: { organization, group } }),
  print: (_, { group }) => ({
    value: { removed: group },
    lines: [`Removed the group ${group}. Rules that refer to it no longer match anybody.`],
  }),
})

const memberCommand = (to: 'join' | 'leave') =>
  describeCommand({
    name: to,
    about: to === 'join' ? 'add members to a group' : 'remove members from a group',
    arguments: [new Argument('<group>'), new Argument('<email...>', 'email addresses of the members')],
    examples: [`toolway group ${to} finance ada@example.com bob@example.com`],
    async call(transport, { organization, group, email: addresses }: GroupArgument & { email: readonly string[] }) {
      const people = []
      for (const address of addresses) people.push(await getMember(transport, organization, address))
      for (const { user_id: user } of people)
        await transport.call(to === 'join' ? joinGroup : leaveGroup, { params: { organization, group, user } })
      return people.map(({ email }) => email)
    },
    print(emails, { group }) {
      const who = emails.join(', ')
      return {
        value: { group, [to === 'join' ? 'joined' : 'left']: emails },
        lines: [to === 'join' ? `Added ${who} to the group ${group}.` : `Removed ${who} from the group ${group}.`],
      }
    },
  })

export const groupCommand = (finish: Finish) =>
  groupOf(
    'group',
    'manage groups of members for rules, approvers and toolsets',
    [list, add, remove, memberCommand('join'), memberCommand('leave')],
    finish,
  )
