/** The commands about accounts of connections, as they are said; what they do is in `accounts.ts`. */
import type { Command } from 'commander'
import { examples, outputOf, type Common, type Finish } from '../command-words.ts'
import type { LoginWords, LogoutWords } from './accounts.ts'

export function addAccountCommands(command: Command, finish: Finish): void {
  command
    .command('login')
    .description('connect an account: prints a link, opens a browser where there is one, and waits until it is there')
    .argument('<alias>')
    .option('--shared', 'one for everybody in the organization')
    .option('--account <name>', 'its name, where one may have several')
    .option('--key', 'give a key instead, typed without showing it, or as the first line of standard input')
    .addHelpText(
      'after',
      examples(
        'toolway connection login docs',
        'toolway connection login mail --account work',
        'toolway connection login search --shared --key < search.key',
      ),
    )
    .action(async (alias: string, options: Common & Omit<LoginWords, 'alias'>) =>
      finish(await (await import('./accounts.ts')).login({ ...options, alias }, outputOf(options))),
    )
  command
    .command('logout')
    .description('end an account: there where that is possible, and here in any case')
    .argument('<alias>')
    .option('--shared', 'that of the organization')
    .option('--account <name>', 'only this one of several')
    .addHelpText('after', examples('toolway connection logout docs', 'toolway connection logout mail --account work'))
    .action(async (alias: string, options: Common & Omit<LogoutWords, 'alias'>) =>
      finish(await (await import('./accounts.ts')).logout({ ...options, alias }, outputOf(options))),
    )
  command
    .command('accounts')
    .description('list the accounts of connections, whose they are and how they are')
    .argument('[alias]')
    .addHelpText('after', examples('toolway connection accounts', 'toolway connection accounts docs --json'))
    .action(async (alias: string | undefined, options: Common) =>
      finish(await (await import('./accounts.ts')).accounts(options.organization, alias, outputOf(options))),
    )
}
