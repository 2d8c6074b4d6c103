/** `toolway toolset …`: make, show, change and remove toolsets. */
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
import { described, groupOf, type Finish } from './command.ts'
import { CommandFault, table } from './terminal/output.ts'
import { Refusal, reworded, type Transport } from './transport/transport.ts'

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
  throw new InvalidArgumentError('A whole number from 1 to 1000.')
}

function limitOfOne(text: string, before: Record<string, Limit> = {}): Record<string, Limit> {
  const [alias = '', said] = text.split('=', 2)
  const limit = LIMITS.find((one) => one === said)
  if (alias === '' || limit === undefined) throw new InvalidArgumentError(`Write alias=${LIMITS.join('|')}.`)
  return { ...before, [alias]: limit }
}

const slug = new Argument('<slug>')
const options = () => [
  new Option('--title <text>', 'name for people'),
  new Option('--connections <alias...>', 'only from these connections'),
  new Option('--include <pattern...>', 'tools by <alias>__<tool>, in which * stands for any run of characters'),
  new Option('--exclude <pattern...>', 'tools that stay out'),
  new Option('--limit <limit>', 'how far its tools reach').choices(LIMITS),
  new Option('--limit-of <alias=limit>', 'a narrower limit of one connection; may be said again').argParser(limitOfOne),
  new Option('--discovery <mode>', 'how clients come to its tools').choices(DISCOVERY_MODES),
  new Option('--naming <naming>', 'names of its tools: alias__tool, mcp__alias__tool, or plainly tool').choices(
    NAMINGS,
  ),
  new Option('--page <number>', 'tools on a page, where they are paged').argParser(wholeNumber),
  new Option('--pin <pattern...>', 'tools that are listed although others have to be looked for'),
  new Option('--for-role <role...>', 'for whom it is there: roles').choices(ROLES),
  new Option('--for-group <group...>', 'for whom it is there: groups'),
  new Option('--for-member <email...>', 'for whom it is there: members'),
  new Option('--for-key <key...>', 'for whom it is there: keys, by name or id'),
]

/** Settings with those that the words name in their place. */
function withWords(held: Partial<Toolset['settings']>, words: Settled): Partial<Toolset['settings']> {
  const { connections, include, exclude, limit, limitOf: limits, discovery, naming, page, pin: pinned } = words
  const { forRole: roles, forGroup: groups, forMember: members, forKey: keys } = words
  const said = Object.values({ roles, groups, members, keys }).some((names) => names !== undefined)
  const { audience: before, ...rest } = held
  const audience = said ? { roles, groups, members, keys } : words.forEverybody === true ? undefined : before
  const settings = { connections, include, exclude, limit, limits, discovery, naming, page, pinned }
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    ...(audience === undefined ? {} : { audience }),
  }
}

const paramsOf = ({ organization, slug: toolset }: ToolsetArgument) => ({ organization, toolset })
const get = ({ call }: Transport, words: ToolsetArgument): Promise<Toolset> =>
  call(getToolset, { params: paramsOf(words) }).catch(unknown(words))
const unknown = ({ slug: name }: ToolsetArgument) =>
  reworded(`There is no toolset "${name}"; \`toolway toolset list\` shows them.`, 'thing.unknown')

const printed =
  (done: string) =>
  (toolset: Toolset, { organization }: ToolsetArgument) => {
    const { slug: name, tools, listed } = toolset
    return {
      value: toolset,
      lines: [
        `${done} the toolset ${name}: ${tools} ${tools === 1 ? 'tool' : 'tools'}, ${listed} listed. Clients find it at /o/${organization}/t/${name}/mcp.`,
      ],
    }
  }

const list = described({
  name: 'list',
  about: 'list the toolsets, those that are supplied too',
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

const show = described({
  name: 'show',
  about: 'show one toolset, and what its tools cost a model that reads them',
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
    `Tools: ${tools}, of which the list names ${listed}.`,
    '',
    ...table(
      ['DISCOVERY', 'TOKENS', ''],
      DISCOVERY_MODES.map((mode) => [
        mode,
        `~${tokens[mode]}`,
        [mode === discovery ? 'this one' : '', mode === 'paged' ? 'the first page' : ''].filter(Boolean).join(', '),
      ]),
    ),
    ...(exceeds.length === 0
      ? []
      : [
          '',
          `The list names more tools than some clients take (${exceeds.join(', ')}): they leave tools out. \`toolway toolset change ${name} --discovery search\` makes it short.`,
        ]),
  ]
}

const add = described({
  name: 'add',
  about: 'make a toolset; what is not said is in',
  arguments: [new Argument('<slug>', 'its name in addresses, for good')],
  options: options(),
  examples: [
    `toolway toolset add reports --include 'docs__*' --limit read`,
    'toolway toolset add big --discovery search',
  ],
  async call({ call }, words: Settled) {
    const params = paramsOf(words)
    const held = await call(getToolset, { params }).catch((thrown: unknown) => {
      if (!(thrown instanceof Refusal && thrown.is('thing.unknown'))) throw thrown
    })
    if (held !== undefined && held.origin !== 'supplied')
      throw new CommandFault(
        `There is a toolset "${words.slug}" already: \`toolway toolset change ${words.slug}\` changes it.`,
      )
    return call(putToolset, { params, body: { ...withWords({}, words), title: words.title ?? words.slug } })
  },
  print: printed('Made'),
})

const change = described({
  name: 'change',
  about: 'change a toolset; what is not said stays',
  arguments: [slug],
  options: [...options(), new Option('--for-everybody', 'it is there for everybody of the organization')],
  examples: ['toolway toolset change reports --discovery search'],
  async call(transport, words: Settled) {
    const held = await get(transport, words)
    const body = { ...withWords(held.settings, words), title: words.title ?? held.title }
    return transport.call(putToolset, { params: paramsOf(words), body })
  },
  print: printed('Changed'),
})

const remove = described({
  name: 'remove',
  about: 'remove a toolset; keys that are limited to it reach nothing any more',
  arguments: [slug],
  examples: ['toolway toolset remove reports'],
  call: ({ call }, words: ToolsetArgument) => call(removeToolset, { params: paramsOf(words) }).catch(unknown(words)),
  print: (_, { slug: name }) => ({ value: { removed: name }, lines: [`Removed the toolset ${name}.`] }),
})

export const toolsetCommand = (finish: Finish) =>
  groupOf(
    'toolset',
    'name selections of tools that have an endpoint of their own',
    [list, show, add, change, remove],
    finish,
  )
