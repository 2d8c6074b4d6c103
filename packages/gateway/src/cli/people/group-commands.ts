/** What can be said of groups of members: `toolway group`. */
import { Command } from 'commander'
import { examples, outputOf, type Common, type Finish } from '../command-words.ts'

export function groupCommand(finish: Finish): Command {
  const command = new Command('group').description('groups of members, which rules, approvers and toolsets can name')
  command
    .command('list')
    .description('list the groups of an organization with their members')
    .addHelpText('after', examples('toolway group list'))
    .action(async (options: Common) =>
      finish(await (await import('./group.ts')).list(options.organization, outputOf(options))),
    )
  command
    .command('add')
    .description('make a group, or change its title')
    .argument('<group>', 'its name in rules')
    .option('--title <text>', 'name for people')
    .addHelpText('after', examples('toolway group add finance --title "Finance"'))
    .action(async (group: string, options: Common & { title?: string }) =>
      finish(await (await import('./group.ts')).add(options.organization, group, options.title, outputOf(options))),
    )
  command
    .command('remove')
    .description('remove a group')
    .argument('<group>')
    .addHelpText('after', examples('toolway group remove finance'))
    .action(async (group: string, options: Common) =>
      finish(await (await import('./group.ts')).remove(options.organization, group, outputOf(options))),
    )
  for (const to of ['join', 'leave'] as const)
    command
      .command(to)
      .description(to === 'join' ? 'let members into a group' : 'take members out of a group')
      .argument('<group>')
      .argument('<email...>', 'their email addresses')
      .addHelpText('after', examples(`toolway group ${to} finance ada@example.com bob@example.com`))
      .action(async (slug: string, emails: string[], { organization, ...rest }: Common) =>
        finish(await (await import('./group.ts')).move({ organization, slug, emails, to }, outputOf(rest))),
      )
  return command
}
