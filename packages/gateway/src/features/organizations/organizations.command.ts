/** `toolway org …`: create, list, change and remove organizations, and say which private networks their connections may reach. */
import { APPROVAL_PRESETS, type ApprovalPreset, type EgressExceptions } from '@toolway/contract'
import {
  addOrganization,
  changeEgress,
  changeOrganization,
  getEgress,
  getOrganization,
  listOrganizations,
  removeOrganization,
  type Organization,
} from '@toolway/contract/admin'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { CommandFault, EXIT, table } from '../../cli/terminal/output.ts'
import { listAll, rewordRefusal, type Transport } from '../../cli/transport/transport.ts'

interface OrganizationArgument {
  readonly slug: string
}
interface Settled extends OrganizationArgument {
  readonly name?: string
  readonly description?: string
  readonly contact?: string
  readonly requestsPerMinute?: number
  readonly maxRequestsPerMinute?: number
  readonly allowProcesses?: boolean
  readonly approvals?: ApprovalPreset
  readonly active?: boolean
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Must be a whole number of at least 1.')
}

const settings = () => [
  new Option('--description <text>', 'description'),
  new Option('--contact <email>', 'contact'),
  new Option('--requests-per-minute <number>', 'requests per minute').argParser(wholeNumber),
  new Option(
    '--max-requests-per-minute <number>',
    'highest limit that the organization’s own administrators can set',
  ).argParser(wholeNumber),
  new Option(
    '--allow-processes',
    'allow the organization’s own administrators to create connections that start programs on this machine',
  ),
  new Option(
    '--no-allow-processes',
    'allow only platform administrators to create connections that start programs on this machine',
  ).default(undefined),
  new Option('--approvals <mode>', 'which calls need approval').choices(
    APPROVAL_PRESETS.filter((mode) => mode !== 'none'),
  ),
]
const named = new Option('--name <text>', 'display name')
const slugOrId = new Argument('<slug>', 'slug or ID of the organization')

const bodyOf = (words: Settled) => ({
  ...{ name: words.name, description: words.description, contact_email: words.contact, is_active: words.active },
  settings: {
    ...{ requests_per_minute: words.requestsPerMinute, max_requests_per_minute: words.maxRequestsPerMinute },
    ...{ allow_processes: words.allowProcesses, approvals: words.approvals },
  },
})

const shownOrganization = ({
  id,
  slug,
  name,
  description,
  contact_email,
  is_active: active,
  settings: own,
}: Organization) => ({
  ...{ id, slug, name, description, contact_email, active, settings: own },
})

/** Throws CommandFault where there is none, and Refusal. */
const unknownOrganization = (slug: string) =>
  rewordRefusal(
    `There is no organization "${slug}"; \`toolway org list\` lists the organizations.`,
    'thing.unknown',
    'place.unknown',
  )

const add = describeCommand({
  name: 'add',
  about: 'create an organization',
  arguments: [new Argument('<slug>', 'permanent name, used in addresses')],
  options: [...settings(), named],
  examples: ['toolway org add acme --name "Acme Ltd"', 'toolway key add first -o acme'],
  call: ({ call }, words: Settled) =>
    call(addOrganization, { body: { ...bodyOf(words), slug: words.slug, name: words.name ?? words.slug } }).catch(
      rewordRefusal(`An organization "${words.slug}" already exists. Choose another slug.`, 'thing.taken'),
    ),
  print: (row) => ({
    value: shownOrganization(row),
    lines: [`Created ${row.slug}. Create its first key with \`toolway key add NAME -o ${row.slug}\`.`],
  }),
})

const list = describeCommand({
  name: 'list',
  about: 'list the organizations',
  examples: ['toolway org list'],
  call: (transport) => listAll(transport, listOrganizations),
  print: (rows) => ({
    value: rows.map(shownOrganization),
    lines: table(
      ['SLUG', 'NAME', 'ACTIVE', 'CONTACT'],
      rows.map(({ slug, name, is_active: active, contact_email: contact }) => [
        ...[slug, name, active ? 'yes' : 'no', contact ?? '-'],
      ]),
    ),
  }),
})

const change = describeCommand({
  name: 'change',
  about: 'change an organization; omitted options keep their values',
  arguments: [slugOrId],
  options: [
    ...settings(),
    named,
    new Option('--active', 'activate it'),
    new Option(
      '--no-active',
      'deactivate it: its addresses respond as if it did not exist, and its data is kept',
    ).default(undefined),
  ],
  examples: ['toolway org change acme --no-active', 'toolway org change acme --allow-processes'],
  call: ({ call }, words: Settled) =>
    call(changeOrganization, { params: { organization: words.slug }, body: bodyOf(words) }).catch(
      unknownOrganization(words.slug),
    ),
  print: (row) => ({
    value: shownOrganization(row),
    lines: [`Changed ${row.slug}.${row.is_active ? '' : ' It is not active, so its addresses are not served.'}`],
  }),
})

interface Reaching extends OrganizationArgument {
  readonly allow?: readonly string[]
  readonly forbid?: readonly string[]
}

/** The exceptions as they are, with what is allowed and without what is forbidden. */
function withExceptions(
  { networks, hosts }: EgressExceptions,
  { allow = [], forbid = [] }: Reaching,
): EgressExceptions {
  const unknown = forbid.find((exception) => ![...networks, ...hosts].includes(exception))
  if (unknown !== undefined)
    throw new CommandFault(`${unknown} is not one of the allowed entries: nothing was changed.`)
  const next = (places: readonly string[], isNetwork: boolean) => [
    ...new Set([
      ...places.filter((exception) => !forbid.includes(exception)),
      ...allow.filter((exception) => exception.includes('/') === isNetwork),
    ]),
  ]
  return { networks: next(networks, true), hosts: next(hosts, false) }
}

async function changeReach({ call }: Transport, words: Reaching) {
  const params = { organization: words.slug }
  const current = await call(getEgress, { params }).catch(unknownOrganization(words.slug))
  const { updated_at: _, ...places } =
    words.allow === undefined && words.forbid === undefined
      ? current
      : await call(changeEgress, { params, body: withExceptions(current, words) })
  return places
}

const egress = describeCommand({
  name: 'egress',
  about: 'show or change the private networks and hosts that an organization’s connections can reach',
  arguments: [slugOrId],
  options: [
    new Option('--allow <place...>', 'a network such as 10.1.0.0/16, or a name such as mcp.internal or *.corp.example'),
    new Option('--forbid <place...>', 'entry to remove'),
  ],
  examples: ['toolway org egress acme', 'toolway org egress acme --allow 10.1.0.0/16 --allow mcp.internal'],
  call: changeReach,
  print(stored, { slug }) {
    const places = [...stored.networks, ...stored.hosts]
    return {
      value: { organization: slug, ...stored },
      lines: [
        places.length === 0
          ? `Connections in ${slug} can reach public addresses only, unless a platform administrator has allowed a connection to reach a private address.`
          : `Connections in ${slug} can also reach: ${places.join(', ')}.`,
      ],
    }
  },
})

const remove = describeCommand({
  name: 'remove',
  about: 'permanently remove an organization and everything in it; its audit log is kept',
  arguments: [slugOrId],
  options: [new Option('--yes', 'confirm the removal')],
  examples: ['toolway org remove acme --yes'],
  async call({ call }, { slug, yes = false }: OrganizationArgument & { yes?: boolean }) {
    const organization = await call(getOrganization, { params: { organization: slug } }).catch(
      unknownOrganization(slug),
    )
    if (!yes)
      throw new CommandFault(
        `This removes "${organization.name}" with its connections, secrets, keys and members permanently: confirm with --yes, or use \`toolway org change ${organization.slug} --no-active\` to stop serving it.`,
        EXIT.usage,
      )
    await call(removeOrganization, { params: { organization: organization.slug } })
    return organization
  },
  print: ({ slug }) => ({
    value: { removed: slug },
    lines: [`Removed ${slug} and everything in it. Its audit log was kept.`],
  }),
})

export const orgCommand = (finish: Finish) =>
  groupOf('org', 'create, list, change and remove organizations', [add, list, change, egress, remove], finish)
