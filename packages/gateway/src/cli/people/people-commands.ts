/** The commands on people, described: signing in, users of the installation, members of an organization. */
import { Command, Option } from 'commander'
import { MEMBER_ROLES, type MemberRole } from '@toolway/contract/admin'
import { examples, outputOf, type Common, type Finish } from '../command-words.ts'
import type { LoginWords } from './account.ts'
import type { AddWords, PasswordWords } from './user.ts'

type Json = { json?: boolean }
const STDIN = ['--password-stdin', 'read the password from standard input'] as const

export const loginCommand = (finish: Finish) =>
  new Command('login')
    .description('sign in as a person; the tokens stay in a file of yours')
    .option('--url <address>', 'the gateway (default: the one of this data directory; or TOOLWAY_URL)')
    .option('--email <email>', 'who signs in (default: it is asked)')
    .option('--organization <slug>', 'bind the tokens to one organization')
    .option(...STDIN)
    .addHelpText(
      'after',
      examples('toolway login', 'toolway login --url https://tools.example.com --email ada@example.com'),
    )
    .action(async (options: LoginWords & Json) =>
      finish(await (await import('./account.ts')).login(options, outputOf(options))),
    )

export const logoutCommand = (finish: Finish) =>
  new Command('logout')
    .description('end the sign-in of `toolway login`, there and here')
    .addHelpText('after', examples('toolway logout'))
    .action(async (options: Json) => finish(await (await import('./account.ts')).logout(outputOf(options))))

export const whoamiCommand = (finish: Finish) =>
  new Command('whoami')
    .description('show who is signed in, and with which role where')
    .addHelpText('after', examples('toolway whoami', 'toolway whoami --json'))
    .action(async (options: Json) => finish(await (await import('./account.ts')).whoami(outputOf(options))))

export function userCommand(finish: Finish): Command {
  const command = new Command('user').description('add, list and remove the people of this installation')
  const email = 'their email address'
  command
    .command('add')
    .description('add a person; they choose a password with a one-time code')
    .argument('<email>', email)
    .option('--name <name>', 'name for people')
    .option('--platform-admin', 'who administers the whole installation')
    .option('--setup-code <code>', 'as the first person, with the code that the first start showed')
    .option(...STDIN)
    .addHelpText(
      'after',
      examples('toolway user add ada@example.com', 'toolway user add ada@example.com --setup-code XXXX-XXXX-XXXX-XXXX'),
    )
    .action(async (email: string, options: Omit<AddWords, 'email'> & Json) =>
      finish(await (await import('./user.ts')).add({ ...options, email }, outputOf(options))),
    )
  command
    .command('list')
    .description('list the people of this installation')
    .addHelpText('after', examples('toolway user list'))
    .action(async (options: Json) => finish(await (await import('./user.ts')).list(outputOf(options))))
  command
    .command('remove')
    .description('remove a person with their memberships, keys and sign-ins')
    .argument('<email>', email)
    .addHelpText('after', examples('toolway user remove ada@example.com'))
    .action(async (email: string, options: Json) =>
      finish(await (await import('./user.ts')).remove(email, outputOf(options))),
    )
  command
    .command('password')
    .description('set a new password, or make a code with which the person chooses one')
    .argument('<email>', email)
    .option('--code', 'make a one-time code instead of setting a password')
    .option(...STDIN)
    .addHelpText('after', examples('toolway user password ada@example.com --code'))
    .action(async (email: string, options: PasswordWords & Json) =>
      finish(await (await import('./user.ts')).password(email, options, outputOf(options))),
    )
  command
    .command('setup-code')
    .description('make a new code with which the first person signs up')
    .addHelpText('after', examples('toolway user setup-code'))
    .action(async (options: Json) => finish(await (await import('./user.ts')).setUpCode(outputOf(options))))
  return command
}

interface Adding {
  readonly role: MemberRole
  readonly vouch?: boolean
}

export function memberCommand(finish: Finish): Command {
  const command = new Command('member').description('who is in an organization, and with which role')
  const email = 'their email address'
  command
    .command('add')
    .description('add a member; somebody new gets a one-time code to choose a password with')
    .argument('<email>', email)
    .addOption(new Option('--role <role>', 'what they may').choices(MEMBER_ROLES).default('tenant_member'))
    .option('--vouch', 'an account that another organization made is theirs: you have made sure of it')
    .addHelpText(
      'after',
      examples('toolway member add ada@example.com', 'toolway member add bob@example.com --role tenant_viewer'),
    )
    .action(async (email: string, { organization, role, vouch = false, ...rest }: Common & Adding) => {
      const { add } = await import('./member.ts')
      finish(await add({ organization, email, role, vouch }, outputOf(rest)))
    })
  command
    .command('list')
    .description('list the members of an organization')
    .addHelpText('after', examples('toolway member list'))
    .action(async (options: Common) =>
      finish(await (await import('./member.ts')).list(options.organization, outputOf(options))),
    )
  command
    .command('role')
    .description('give a member another role; it counts at once')
    .argument('<email>', email)
    .addArgument(command.createArgument('<role>', 'what they may').choices(MEMBER_ROLES))
    .addHelpText('after', examples('toolway member role ada@example.com tenant_admin'))
    .action(async (email: string, role: MemberRole, options: Common) =>
      finish(await (await import('./member.ts')).role(options.organization, email, role, outputOf(options))),
    )
  command
    .command('remove')
    .description('remove a member with the keys that are theirs there')
    .argument('<email>', email)
    .addHelpText('after', examples('toolway member remove ada@example.com'))
    .action(async (email: string, options: Common) =>
      finish(await (await import('./member.ts')).remove(options.organization, email, outputOf(options))),
    )
  return command
}
