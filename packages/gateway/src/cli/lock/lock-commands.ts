/** What can be said of the lock on tools: `toolway lock`. */
import { EFFECTS, LOCK_MODES, type Effect, type LockMode } from '@toolway/contract'
import { Argument, Command } from 'commander'
import { examples, outputOf, type Common, type Finish } from '../command-words.ts'
import type { TrustWords } from './effect.ts'
import type { AcceptWords, SetWords } from './lock.ts'

export function lockCommand(finish: Finish): Command {
  const command = new Command('lock').description('hold what servers change in their tools until somebody has looked')
  command
    .command('show')
    .description('show the locks; of one connection, its tools and what changed in those that are held')
    .argument('[alias]')
    .addHelpText('after', examples('toolway lock show', 'toolway lock show docs'))
    .action(async (alias: string | undefined, options: Common) =>
      finish(await (await import('./lock.ts')).show(alias, options, outputOf(options))),
    )
  setCommand(command, finish)
  acceptCommand(command, finish)
  trustCommand(command, finish)
  effectCommand(command, finish)
  command
    .command('export')
    .description('write the hashes of all tools to a file that can be reviewed and kept; without one, print them')
    .argument('[file]')
    .addHelpText('after', examples('toolway lock export', 'toolway lock export toolway.lock.json'))
    .action(async (file: string | undefined, options: Common) =>
      finish(await (await import('./lock.ts')).exportFile(file, options, outputOf(options))),
    )
  command
    .command('check')
    .description('compare what servers list now, as last known, with a file; 1 and the differences where it drifted')
    .argument('<file>')
    .addHelpText('after', examples('toolway lock check toolway.lock.json'))
    .action(async (file: string, options: Common) =>
      finish(await (await import('./lock.ts')).check(file, options, outputOf(options))),
    )
  return command
}

const MODES = `
  off           every change comes in, and is on record
  additions     new tools come in; any change of a known one is held
  descriptions  new tools and new optional inputs come in; what a model reads, and any other change, is held
  all           everything is held, new tools too`

const setCommand = (command: Command, finish: Finish) =>
  command
    .command('set')
    .description('set the lock of a connection; turned on, it accepts the tools that are there now')
    .argument('<alias>')
    .addArgument(new Argument('<mode>', 'what comes in by itself').choices(LOCK_MODES))
    .option('--hold-present', 'hold the tools that are there now, until each is accepted')
    .option('--accept-present', 'accept the tools that are there now, where the lock is on already')
    .option('--trust', 'believe what its server says of the effects of its tools')
    .option('--no-trust', 'do not')
    .addHelpText('after', `\nModes:${MODES}`)
    .addHelpText('after', examples('toolway lock set docs descriptions', 'toolway lock set docs all --hold-present'))
    .action(async (alias: string, mode: LockMode, options: SetWords & Common) =>
      finish(await (await import('./lock.ts')).set(alias, mode, options, outputOf(options))),
    )

const trustCommand = (command: Command, finish: Finish) =>
  command
    .command('trust')
    .description('believe what the server of a connection says of the effects of its tools')
    .argument('<alias>')
    .option('--off', 'do not believe it any more')
    .addHelpText('after', examples('toolway lock trust docs', 'toolway lock trust docs --off'))
    .action(async (alias: string, options: TrustWords & Common) =>
      finish(await (await import('./effect.ts')).trust(alias, options, outputOf(options))),
    )

const effectCommand = (command: Command, finish: Finish) =>
  command
    .command('effect')
    .description('say what a tool does, whatever its server says')
    .argument('<alias>')
    .argument('<tool>', 'the name that its server gives it')
    .addArgument(new Argument('<effect>', 'stated: as its server or connection says').choices([...EFFECTS, 'stated']))
    .addHelpText('after', examples('toolway lock effect docs search read', 'toolway lock effect docs search stated'))
    .action(async (alias: string, tool: string, effect: Effect | 'stated', options: Common) =>
      finish(await (await import('./effect.ts')).say(alias, { tool, effect }, options, outputOf(options))),
    )

const acceptCommand = (command: Command, finish: Finish) =>
  command
    .command('accept')
    .description('let a tool in that is held')
    .argument('<alias>')
    .argument('<tool>', 'the name that its server gives it')
    .option('--hash <hash>', 'only if it is still the one that you looked at, as `toolway lock show` prints it')
    .option('--reject', 'say no instead: it stays held, and nobody needs to look at it again')
    .addHelpText('after', examples('toolway lock accept docs search', 'toolway lock accept docs search --reject'))
    .action(async (alias: string, tool: string, options: AcceptWords & Common) =>
      finish(await (await import('./lock.ts')).accept(alias, tool, options, outputOf(options))),
    )
