/** The commands of a person's own sign-in, described. */
import { Command } from 'commander'
import { examples, outputOf, type Finish } from '../../cli/command-words.ts'
import type { LoginWords } from './account.command.ts'

type Json = { json?: boolean }
const STDIN = ['--password-stdin', 'read the password from standard input'] as const

export const loginCommand = (finish: Finish) =>
  new Command('login')
    .description('sign in; the tokens are stored in a file that only you can read')
    .option('--url <address>', 'the gateway (default: TOOLWAY_URL, or the gateway of this data directory)')
    .option('--email <email>', 'email address (prompted for if omitted)')
    .option('--organization <slug>', 'limit the tokens to one organization')
    .option(...STDIN)
    .option('--code <code>', 'code of your authenticator app (prompted for if your account has a second factor)')
    .addHelpText(
      'after',
      examples('toolway login', 'toolway login --url https://tools.example.com --email ada@example.com'),
    )
    .action(async (options: LoginWords & Json) =>
      finish(await (await import('./account.command.ts')).login(options, outputOf(options))),
    )

export const logoutCommand = (finish: Finish) =>
  new Command('logout')
    .description('sign out and revoke the tokens')
    .addHelpText('after', examples('toolway logout'))
    .action(async (options: Json) => finish(await (await import('./account.command.ts')).logout(outputOf(options))))

export const whoamiCommand = (finish: Finish) =>
  new Command('whoami')
    .description('show who is signed in, or the holder of TOOLWAY_KEY, with their roles')
    .addHelpText('after', examples('toolway whoami', 'TOOLWAY_KEY=… toolway whoami', 'toolway whoami --json'))
    .action(async (options: Json) => finish(await (await import('./account.command.ts')).whoami(outputOf(options))))
