/** What can be said of rules: `toolway policy`. */
import { EFFECTS, RULE_STATES, type RuleState } from '@toolway/contract'
import { Argument, Command, Option } from 'commander'
import { examples, outputOf, type Common, type Finish } from '../command-words.ts'
import { ACTION_OPTIONS, type RuleFlags } from './rule-flags.ts'
import type { ChangeFlags, PolicyPlace, ScopeFlags } from './rules.ts'

type Words = Common & PolicyPlace

const PLATFORM = ['--platform', 'a rule of the platform, which holds in every organization'] as const

export function policyCommand(finish: Finish): Command {
  const command = new Command('policy').description(
    'say by rules what may be called, how, by whom, and how often; try them before they bite',
  )
  command
    .command('list')
    .description('list the rules that hold in an organization, those of the platform too')
    .option('--platform', 'only those of the platform')
    .addHelpText('after', examples('toolway policy list', 'toolway policy list -o acme'))
    .action(async (options: Words) => finish(await (await import('./rules.ts')).list(options, outputOf(options))))
  addCommand(command, finish)
  command
    .command('show')
    .description('show a rule whole, as YAML')
    .argument('<rule>', 'its name or id')
    .option(...PLATFORM)
    .addHelpText('after', examples('toolway policy show no-deleting'))
    .action(async (rule: string, options: Words) =>
      finish(await (await import('./rules.ts')).show(rule, options, outputOf(options))),
    )
  changeCommand(command, finish)
  command
    .command('remove')
    .description('remove a rule')
    .argument('<rule>', 'its name or id')
    .option(...PLATFORM)
    .addHelpText('after', examples('toolway policy remove no-deleting'))
    .action(async (rule: string, options: Words) =>
      finish(await (await import('./rules.ts')).remove(rule, options, outputOf(options))),
    )
  stateCommand(command, finish, 'enable', 'on', 'have a rule hold')
  stateCommand(command, finish, 'disable', 'off', 'have a rule hold no more, and keep it')
  return command
}

function addCommand(command: Command, finish: Finish): void {
  const add = command
    .command('add')
    .description(
      'add a rule, said by flags, or those of a file; they hold at once. A file says all that flags do not: size, who approves, values and patterns of reject',
    )
    .addArgument(new Argument('[file]', 'YAML or JSON: a rule, or a list of them; - is standard input'))
  for (const [flags, about] of ACTION_OPTIONS) add.option(flags, about)
  add
    .option('--when <condition>', 'only where this holds, in CEL over principal, tool, args and context')
    .addOption(new Option('--effect <effects...>', 'only for tools that do this').choices(EFFECTS))
    .option('--connector <connectors...>', 'only for connections of that kind')
    .option('--name <name>', 'its name; made of the action and the tools where none is said')
    .option('--reason <text>', 'a sentence for whoever is refused, and for whoever asks why it is there')
    .option('--shadow', 'only record what it would have done')
    .option('--toolset <slug>', 'holds at that toolset only')
    .option('--connection <alias>', 'holds for that connection only')
    .option('--member <email>', 'holds for that member only')
    .option('--key <key>', 'holds for the key of that name or id only')
    .option(...PLATFORM)
    .addHelpText(
      'after',
      examples(
        `toolway policy add --block 'git__*_delete_*' --reason 'Nothing is deleted by agents'`,
        `toolway policy add --clamp 'search_assets:limit<=50' --default 20 --reason 'Small pages'`,
        `toolway policy add --rate 'mail__send:20/3600' --member maria@acme.test --reason 'No mass mail'`,
        `toolway policy add --platform --block '*_delete_*' --reason 'Nothing is deleted by agents'`,
        'toolway policy add rules.yaml -o acme',
      ),
    )
    .action(async (file: string | undefined, options: RuleFlags & ScopeFlags & Words) =>
      finish(await (await import('./rules.ts')).add(file, options, options, outputOf(options))),
    )
}

const changeCommand = (command: Command, finish: Finish) =>
  command
    .command('change')
    .description('change a rule; what is not said stays')
    .argument('<rule>', 'its name or id')
    .option('--name <name>', 'another name')
    .option('--reason <text>', 'another reason')
    .addOption(new Option('--state <state>', 'whether it holds, only watches, or neither').choices(RULE_STATES))
    .option('--tools <tools...>', 'other patterns on the names of tools')
    .option('--when <condition>', 'another condition')
    .option('--parameters <json>', `what of its parameters is another now, as in '{"max": 20}'`)
    .option(...PLATFORM)
    .addHelpText(
      'after',
      examples(
        `toolway policy change clamp-search-assets --parameters '{"max": 20}'`,
        'toolway policy change no-deleting --state shadow',
      ),
    )
    .action(async (rule: string, options: ChangeFlags & Words) =>
      finish(await (await import('./rules.ts')).change(rule, options, options, outputOf(options))),
    )

const stateCommand = (command: Command, finish: Finish, verb: string, state: RuleState, says: string) =>
  command
    .command(verb)
    .description(says)
    .argument('<rule>', 'its name or id')
    .option(...PLATFORM)
    .addHelpText('after', examples(`toolway policy ${verb} no-deleting`))
    .action(async (rule: string, options: Words) =>
      finish(await (await import('./rules.ts')).setState(rule, state, options, outputOf(options))),
    )
