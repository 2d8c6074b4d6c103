/** What can be said of toolsets: `toolway toolset`. */
import { DISCOVERY_MODES, LIMITS, ROLES, type DiscoveryMode, type Limit, type Role } from '@toolway/contract'
import { Command, InvalidArgumentError, Option } from 'commander'
import { examples, outputOf, type Common, type Finish } from '../command-words.ts'
import type { ToolsetWords } from './toolset.ts'

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

/** Said in the words of `change`; what is not said stays, or is as it is without a word. */
const worded = (command: Command): Command =>
  command
    .option('--title <text>', 'name for people')
    .option('--connections <alias...>', 'only from these connections')
    .option('--include <pattern...>', 'tools by <alias>__<tool>, in which * stands for any run of characters')
    .option('--exclude <pattern...>', 'tools that stay out')
    .addOption(new Option('--limit <limit>', 'how far its tools reach').choices(LIMITS))
    .option('--limit-of <alias=limit>', 'a narrower limit of one connection; may be said again', limitOfOne)
    .addOption(new Option('--discovery <mode>', 'how clients come to its tools').choices(DISCOVERY_MODES))
    .option('--page <number>', 'tools on a page, where they are paged', wholeNumber)
    .option('--pin <pattern...>', 'tools that are listed although others have to be looked for')
    .addOption(new Option('--for-role <role...>', 'for whom it is there: roles').choices(ROLES))
    .option('--for-group <group...>', 'for whom it is there: groups')
    .option('--for-member <email...>', 'for whom it is there: members')
    .option('--for-key <key...>', 'for whom it is there: keys, by name or id')

export interface Said {
  title?: string
  connections?: string[]
  include?: string[]
  exclude?: string[]
  limit?: Limit
  limitOf?: Record<string, Limit>
  discovery?: DiscoveryMode
  page?: number
  pin?: string[]
  forRole?: Role[]
  forGroup?: string[]
  forMember?: string[]
  forKey?: string[]
  forEverybody?: boolean
}

const wordsOf = (said: Said): ToolsetWords => {
  const { forRole: roles, forGroup: groups, forMember: members, forKey: keys } = said
  const audience = Object.fromEntries(
    Object.entries({ roles, groups, members, keys }).filter(([, names]) => names !== undefined),
  )
  const { title, connections, include, exclude, limit, limitOf: limits, discovery, page, pin: pinned } = said
  const settings = { connections, include, exclude, limit, limits, discovery, page, pinned }
  return {
    title,
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    audience: Object.keys(audience).length > 0 ? audience : said.forEverybody === true ? 'everybody' : undefined,
  }
}

export function toolsetCommand(finish: Finish): Command {
  const command = new Command('toolset').description('name selections of tools that have an endpoint of their own')
  command
    .command('list')
    .description('list the toolsets, those that are supplied too')
    .addHelpText('after', examples('toolway toolset list'))
    .action(async (options: Common) => finish(await (await import('./toolset.ts')).list(options, outputOf(options))))
  command
    .command('show')
    .description('show one toolset, and what its tools cost a model that reads them')
    .argument('<slug>')
    .addHelpText('after', examples('toolway toolset show read-only'))
    .action(async (slug: string, options: Common) =>
      finish(await (await import('./toolset.ts')).show(slug, options, outputOf(options))),
    )
  worded(command.command('add'))
    .description('make a toolset; what is not said is in')
    .argument('<slug>', 'its name in addresses, for good')
    .addHelpText(
      'after',
      examples(
        `toolway toolset add reports --include 'docs__*' --limit read`,
        'toolway toolset add big --discovery search',
      ),
    )
    .action(async (slug: string, options: Said & Common) =>
      finish(await (await import('./toolset.ts')).add(slug, wordsOf(options), options, outputOf(options))),
    )
  worded(command.command('change'))
    .description('change a toolset; what is not said stays')
    .argument('<slug>')
    .option('--for-everybody', 'it is there for everybody of the organization')
    .addHelpText('after', examples('toolway toolset change reports --discovery search'))
    .action(async (slug: string, options: Said & Common) =>
      finish(await (await import('./toolset.ts')).change(slug, wordsOf(options), options, outputOf(options))),
    )
  command
    .command('remove')
    .description('remove a toolset; keys that are limited to it reach nothing any more')
    .argument('<slug>')
    .addHelpText('after', examples('toolway toolset remove reports'))
    .action(async (slug: string, options: Common) =>
      finish(await (await import('./toolset.ts')).remove(slug, options, outputOf(options))),
    )
  return command
}
