/** `toolway member …`: manage the members of an organization and their roles. */
import {
  addMember,
  changeMember,
  listMembers,
  MEMBER_ROLES,
  MEMBER_SORTS,
  removeMember,
  type ListedMember,
  type MemberRole,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { table } from '../../cli/terminal/output.ts'
import { listAll } from '../../cli/transport/transport.ts'
import { checkEmail, getMember } from './find-person.command.ts'
import { filterOf, filterOptions, type Filtering, type OrganizationOption } from './member-filter.command.ts'
import { exportFile, importFile } from './member-file.command.ts'

interface MemberArgument extends OrganizationOption {
  readonly email: string
}
interface Joining extends MemberArgument {
  readonly role: MemberRole
  readonly vouch?: boolean
}

const email = new Argument('<email>', 'email address of the member')

const add = describeCommand({
  name: 'add',
  about: 'add a member; a new person receives a one-time code to set a password',
  arguments: [email],
  options: [
    new Option('--role <role>', 'role').choices(MEMBER_ROLES).default('tenant_member'),
    new Option('--vouch', 'confirm that an account created by another organization belongs to this person'),
  ],
  examples: ['toolway member add ada@example.com', 'toolway member add bob@example.com --role tenant_viewer'],
  async call({ call }, { organization, email: address, role, vouch }: Joining) {
    checkEmail(address)
    return call(addMember, { params: { organization }, body: { email: address.trim(), role, vouch } })
  },
  print: ({ member, invitation }, { organization }) => ({
    value: { email: member.email, role: member.role, code: invitation?.code ?? null },
    lines: [
      `${member.email} has the role ${member.role} in ${organization}.`,
      ...(invitation === null
        ? []
        : [
            `Code: ${invitation.code}`,
            'With this code, the new member can set a password once at /sign-in/code, within three days.',
          ]),
    ],
  }),
})

interface Listing extends Filtering {
  readonly sort?: (typeof MEMBER_SORTS)[number]
}

const stateOf = ({ is_active: active, is_suspended: suspended }: ListedMember): string => {
  if (suspended) return 'suspended'
  return active ? 'active' : 'deactivated'
}

const list = describeCommand({
  name: 'list',
  about: 'list the members of an organization',
  options: [...filterOptions, new Option('--sort <column>', 'order of the list').choices(MEMBER_SORTS)],
  examples: ['toolway member list', 'toolway member list --group finance --seen-before 2026-09-01'],
  call: (transport, words: Listing) =>
    listAll(transport, listMembers, {
      params: { organization: words.organization },
      query: { ...filterOf(words), sort: words.sort },
    }),
  print: (members) => ({
    value: members.map(({ user_id: _, added_at: __, ...rest }) => rest),
    lines: table(
      ['EMAIL', 'NAME', 'ROLE', 'STATE', 'SOURCE', 'GROUPS', 'LAST SEEN'],
      members.map((member) => [
        ...[member.email, member.name, member.role, stateOf(member), member.source_title ?? member.source],
        ...[member.groups.join(' '), member.last_seen_at ?? 'never'],
      ]),
    ),
  }),
})

const role = describeCommand({
  name: 'role',
  about: 'change the role of a member, effective immediately',
  arguments: [email, new Argument('<role>', 'role').choices(MEMBER_ROLES)],
  examples: ['toolway member role ada@example.com tenant_admin'],
  async call(transport, { organization, email: address, role: requested }: Joining) {
    const { user_id: user } = await getMember(transport, organization, address)
    return transport.call(changeMember, { params: { organization, user }, body: { role: requested } })
  },
  print: (_, { organization, email: address, role: requested }) => ({
    value: { email: address, role: requested },
    lines: [`${address} has the role ${requested} in ${organization}.`],
  }),
})

const remove = describeCommand({
  name: 'remove',
  about: 'remove a member and their keys in the organization',
  arguments: [email],
  examples: ['toolway member remove ada@example.com'],
  async call(transport, { organization, email: address }: MemberArgument) {
    const { user_id: user } = await getMember(transport, organization, address)
    return transport.call(removeMember, { params: { organization, user } })
  },
  print: (_, { organization, email: address }) => ({
    value: { removed: address },
    lines: [`${address} is no longer a member of ${organization}, and their keys there were removed.`],
  }),
})

export const memberCommand = (finish: Finish) =>
  groupOf(
    'member',
    'manage the members of an organization and their roles',
    [add, list, role, remove, importFile, exportFile],
    finish,
  )
