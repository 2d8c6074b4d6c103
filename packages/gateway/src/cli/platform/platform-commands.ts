/** What can be said of organizations and of rules, which are the platform's: `toolway org`, `toolway rule`. */
import { APPROVAL_PRESETS, CONNECTORS, NAME_ACTIONS } from '@toolway/contract'
import { Command, InvalidArgumentError, Option } from 'commander'
import { examples, outputOf, type Finish } from '../command-words.ts'
import type { EgressWords } from './org-egress.ts'
import type { OrganizationWords } from './org.ts'
import type { RuleWords } from './rule.ts'

interface Json {
  json?: boolean
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A whole number from 1 on.')
}

const described = (command: Command): Command =>
  command
    .option('--description <text>', 'what it is for')
    .option('--contact <email>', 'whom to write to')
    .option('--requests-per-minute <number>', 'what it may send', wholeNumber)
    .option('--max-requests-per-minute <number>', 'the most that its own administrators may give it', wholeNumber)
    .option('--allow-processes', 'its own administrators may make connections that start programs here')
    .option('--no-allow-processes', 'only a platform administrator may')
    .addOption(
      new Option('--approvals <mode>', 'what is asked about before a tool runs').choices(
        APPROVAL_PRESETS.filter((mode) => mode !== 'none'),
      ),
    )

export function orgCommand(finish: Finish): Command {
  const command = new Command('org').description('make, list, change and remove organizations')
  described(command.command('add'))
    .description('make an organization')
    .argument('<slug>', 'its name in addresses, for good')
    .option('--name <text>', 'name for people')
    .addHelpText('after', examples('toolway org add acme --name "Acme Ltd"', 'toolway key add first -o acme'))
    .action(async (slug: string, options: OrganizationWords & Json) =>
      finish(await (await import('./org.ts')).add(slug, options, outputOf(options))),
    )
  command
    .command('list')
    .description('list the organizations')
    .addHelpText('after', examples('toolway org list'))
    .action(async (options: Json) => finish(await (await import('./org.ts')).list(outputOf(options))))
  described(command.command('change'))
    .description('change an organization; what is not said stays')
    .argument('<slug>', 'its slug or id')
    .option('--name <text>', 'name for people')
    .option('--active', 'serve it again')
    .option('--no-active', 'answer at all of its addresses as if it did not exist; nothing of it is lost')
    .addHelpText('after', examples('toolway org change acme --no-active', 'toolway org change acme --allow-processes'))
    .action(async (slug: string, options: OrganizationWords & Json) =>
      finish(await (await import('./org.ts')).change(slug, options, outputOf(options))),
    )
  command
    .command('egress')
    .description('show or change which private networks and names connections of an organization may reach')
    .argument('<slug>', 'its slug or id')
    .option('--allow <place...>', 'a network such as 10.1.0.0/16, or a name such as mcp.internal or *.corp.example')
    .option('--forbid <place...>', 'one that was allowed')
    .addHelpText(
      'after',
      examples('toolway org egress acme', 'toolway org egress acme --allow 10.1.0.0/16 --allow mcp.internal'),
    )
    .action(async (slug: string, options: EgressWords & Json) =>
      finish(await (await import('./org-egress.ts')).egress(slug, options, outputOf(options))),
    )
  command
    .command('remove')
    .description('remove an organization with everything that belongs to it, for good; its records stay')
    .argument('<slug>', 'its slug or id')
    .option('--yes', 'yes, for good')
    .addHelpText('after', examples('toolway org remove acme --yes'))
    .action(async (slug: string, options: { yes?: boolean } & Json) =>
      finish(await (await import('./org.ts')).remove(slug, options, outputOf(options))),
    )
  return command
}

export function ruleCommand(finish: Finish): Command {
  const command = new Command('rule').description(
    'block tools by name in every organization, or have their calls marked; `toolway policy` says all that rules can',
  )
  command
    .command('add')
    .description('add a rule; it holds at once')
    .argument('<pattern>', 'a tool name, its own or <alias>__<tool>, in which * stands for any run of characters')
    .requiredOption('--reason <text>', 'said to whoever is refused')
    .addOption(new Option('--action <action>', 'what it does').choices(NAME_ACTIONS).default('block'))
    .addOption(new Option('--connector <connector>', 'only for connections of that kind').choices(CONNECTORS))
    .addHelpText(
      'after',
      examples(
        `toolway rule add '*_delete_*' --reason 'Nothing is deleted by agents'`,
        `toolway rule add 'shell__*' --action warn --reason 'We look at these'`,
      ),
    )
    .action(async (pattern: string, options: RuleWords & Json) =>
      finish(await (await import('./rule.ts')).add(pattern, options, outputOf(options))),
    )
  command
    .command('list')
    .description('list the rules')
    .addHelpText('after', examples('toolway rule list'))
    .action(async (options: Json) => finish(await (await import('./rule.ts')).list(outputOf(options))))
  command
    .command('remove')
    .description('remove a rule')
    .argument('<id>', 'as `toolway rule list` shows it')
    .addHelpText('after', examples('toolway rule remove rul_01jd0000000000000000000000'))
    .action(async (id: string, options: Json) =>
      finish(await (await import('./rule.ts')).remove(id, outputOf(options))),
    )
  return command
}
