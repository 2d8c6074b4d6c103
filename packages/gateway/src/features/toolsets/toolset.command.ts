/** `toolway toolset …`: make, show, change and remove toolsets. */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import {
  DISCOVERY_MODES,
  LIMITS,
  NAMINGS,
  ROLES,
  type DiscoveryMode,
  type Limit,
  type Naming,
  type Role,
} from '@toolway/contract'
import { getToolset, listToolsets, putToolset, removeToolset, type Toolset } from '@toolway/contract/admin'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { CommandFault, table } from '../../cli/terminal/output.ts'
import { Refusal, rewordRefusal, type Transport } from '../../cli/transport/transport.ts'

interface ToolsetArgument {
  readonly organization: string
  readonly slug: string
}

interface Settled extends ToolsetArgument {
  readonly title?: string
  readonly connections?: string[]
  readonly include?: string[]
  readonly exclude?: string[]
  readonly limit?: Limit
  readonly limitOf?: Record<string, Limit>
  readonly discovery?: DiscoveryMode
  readonly naming?: Naming
  readonly page?: number
  readonly pin?: string[]
  readonly forRole?: Role[]
  readonly forGroup?: string[]
  readonly forMember?: string[]
  readonly forKey?: string[]
  readonly forEverybody?: boolean
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Must be a whole number from 1 to 1000.')
}

function limitOfOne(text: string, before: Record<string, Limit> = {}): Record<string, Limit> {
  const [alias = '', value] = text.split('=', 2)
  const limit = LIMITS.find((item) => item === value)
  if (alias === '' || limit === undefined) throw new InvalidArgumentError(`Use alias=${LIMITS.join('|')}.`)
  return { ...before, [alias]: limit }
}

const slug = new Argument('<slug>')
const options = () => [
  new Option('--title <text>', 'display name'),
  new Option('--connections <alias...>', 'only tools of these connections'),
  new Option('--include <pattern...>', 'tools by <alias>__<tool>, where * matches any characters'),
  new Option('--exclude <pattern...>', 'tools to exclude'),
  new Option('--limit <limit>', 'access level of its tools').choices(LIMITS),
  new Option('--limit-of <alias=limit>', 'a narrower access level for one connection; can be repeated').argParser(
    limitOfOne,
  ),
  new Option('--discovery <mode>', 'how clients discover its tools').choices(DISCOVERY_MODES),
  new Option('--naming <naming>', 'names of its tools: alias__tool, mcp__alias__tool, or just tool').choices(NAMINGS),
  new Option('--page <number>', 'tools per page, for paged discovery').argParser(wholeNumber),
  new Option('--pin <pattern...>', 'tools that are always listed, for search discovery'),
  new Option('--for-role <role...>', 'roles that can use it').choices(ROLES),
  new Option('--for-group <group...>', 'groups that can use it'),
  new Option('--for-member <email...>', 'members that can use it'),
  new Option('--for-key <key...>', 'keys that can use it, by name or ID'),
]

/** Settings with those that the words name in their place. */
function withWords(stored: Partial<Toolset['settings']>, words: Settled): Partial<Toolset['settings']> {
  const { connections, include, exclude, limit, limitOf: limits, discovery, naming, page, pin: pinned } = words
  const { forRole: roles, forGroup: groups, forMember: members, forKey: keys } = words
  const hasAudience = Object.values({ roles, groups, members, keys }).some((names) => names !== undefined)
  const { audience: before, ...rest } = stored
  const audience = hasAudience ? { roles, groups, members, keys } : words.forEverybody === true ? undefined : before
  const settings = { connections, include, exclude, limit, limits, discovery, naming, page, pinned }
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    ...(audience === undefined ? {} : { audience }),
  }
}

const paramsOf = ({ organization, slug: toolset }: ToolsetArgument) => ({ organization, toolset })
const get = ({ call }: Transport, words: ToolsetArgument): Promise<Toolset> =>
  call(getToolset, { params: paramsOf(words) }).catch(unknownToolset(words))
const unknownToolset = ({ slug: name }: ToolsetArgument) =>
  rewordRefusal(`There is no toolset "${name}"; \`toolway toolset list\` lists the toolsets.`, 'thing.unknown')

const drawToolset =
  (done: string) =>
  (toolset: Toolset, { organization }: ToolsetArgument) => {
    const { slug: name, tools, listed } = toolset
    return {
      value: toolset,
      lines: [
        `${done} the toolset ${name}: ${countWithNoun(tools, 'tool')}, ${listed} listed. Its endpoint is /o/${organization}/t/${name}/mcp.`,
      ],
    }
  }

const list = describeCommand({
  name: 'list',
  about: 'list the toolsets, including built-in ones',
  examples: ['toolway toolset list'],
  call: ({ call }, { organization }: { organization: string }) => call(listToolsets, { params: { organization } }),
  print: ({ items }) => ({
    value: items,
    lines: table(
      ['TOOLSET', 'DISCOVERY', 'LIMIT', 'TOOLS', 'LISTED', 'TOKENS', 'FOR', 'FROM'],
      items.map(({ slug: name, settings, tools, listed, definition_tokens: tokens, origin }) => [
        name,
        settings.discovery ?? 'direct',
        settings.limit ?? 'execute',
        String(tools),
        String(listed),
        `~${tokens[settings.discovery ?? 'direct']}`,
        settings.audience === undefined ? 'everybody' : 'some',
        origin,
      ]),
    ),
  }),
})

const show = describeCommand({
  name: 'show',
  about: 'show one toolset and the token cost of its tools',
  arguments: [slug],
  examples: ['toolway toolset show read-only'],
  call: get,
  print: (toolset) => ({ value: toolset, lines: linesOf(toolset) }),
})

function linesOf({ slug: name, title, settings, origin, tools, listed, definition_tokens: tokens, exceeds }: Toolset) {
  const { discovery = 'direct' } = settings
  return [
    `${name}: ${title} (${origin})`,
    `Settings: ${JSON.stringify(settings)}`,
    `${countWithNoun(tools, 'tool')}, of which ${listed} ${listed === 1 ? 'is' : 'are'} listed to clients.`,
    '',
    ...table(
      ['DISCOVERY', 'TOKENS', ''],
      DISCOVERY_MODES.map((mode) => [
        mode,
        `~${tokens[mode]}`,
        [mode === discovery ? 'current' : '', mode === 'paged' ? 'the first page' : ''].filter(Boolean).join(', '),
      ]),
    ),
    ...(exceeds.length === 0
      ? []
      : [
          '',
          `The list has more tools than some clients accept (${exceeds.join(', ')}), so they drop tools. \`toolway toolset change ${name} --discovery search\` shortens it.`,
        ]),
  ]
}

const add = describeCommand({
  name: 'add',
  about: 'create a toolset; omitted options mean no restriction',
  arguments: [new Argument('<slug>', 'permanent name, used in addresses')],
  options: options(),
  examples: [
    `toolway toolset add reports --include 'docs__*' --limit read`,
    'toolway toolset add big --discovery search',
  ],
  async call({ call }, words: Settled) {
    const params = paramsOf(words)
    const current = await call(getToolset, { params }).catch((thrown: unknown) => {
      if (!(thrown instanceof Refusal && thrown.is('thing.unknown'))) throw thrown
    })
    if (current !== undefined && current.origin !== 'supplied')
      throw new CommandFault(
        `A toolset "${words.slug}" already exists. Change it with \`toolway toolset change ${words.slug}\`.`,
      )
    return call(putToolset, { params, body: { ...withWords({}, words), title: words.title ?? words.slug } })
  },
  print: drawToolset('Created'),
})

const change = describeCommand({
  name: 'change',
  about: 'change a toolset; omitted options keep their values',
  arguments: [slug],
  options: [...options(), new Option('--for-everybody', 'make it available to everyone in the organization')],
  examples: ['toolway toolset change reports --discovery search'],
  async call(transport, words: Settled) {
    const current = await get(transport, words)
    const body = { ...withWords(current.settings, words), title: words.title ?? current.title }
    return transport.call(putToolset, { params: paramsOf(words), body })
  },
  print: drawToolset('Changed'),
})

const remove = describeCommand({
  name: 'remove',
  about: 'remove a toolset; keys limited to it lose access',
  arguments: [slug],
  examples: ['toolway toolset remove reports'],
  call: ({ call }, words: ToolsetArgument) =>
    call(removeToolset, { params: paramsOf(words) }).catch(unknownToolset(words)),
  print: (_, { slug: name }) => ({ value: { removed: name }, lines: [`Removed the toolset ${name}.`] }),
})

export const toolsetCommand = (finish: Finish) =>
  groupOf(
    'toolset',
    'manage toolsets: selections of tools with their own endpoint',
    [list, show, add, change, remove],
    finish,
  )
