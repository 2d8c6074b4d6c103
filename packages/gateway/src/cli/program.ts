/** The command line: what can be said, with examples, and which command does it. Commands are loaded when they are used. */
import { Command, CommanderError, Option } from 'commander'
import { openConfig } from './open-config.ts'
import { PRESET_NAMES } from '../presets.ts'
import { VERSION } from '../call/introduce.ts'
import { examples, outputOf, type Common, type Finish } from './command-words.ts'
import { backupCommand, restoreCommand } from './backup/backup-commands.ts'
import { accountCommands } from '../features/accounts/accounts.command.ts'
import { connectionCommand } from '../features/connections/connection.command.ts'
import { applyCommand, exportCommand, planCommand } from './declaration/declaration-commands.ts'
import { importCommand } from './import/import-file.ts'
import { keyCommand } from '../features/keys/keys.command.ts'
import { CommandFault, EXIT } from './terminal/output.ts'
import { tellFailure } from './terminal/failure.ts'
import { fileCommand } from '../features/files/files.command.ts'
import { clientCommand } from './client.ts'
import { groupCommand } from '../features/people/group.command.ts'
import { memberCommand } from '../features/people/member.command.ts'
import { loginCommand, logoutCommand, whoamiCommand } from '../features/people/sign-in.command.ts'
import { userCommand } from '../features/people/user.command.ts'
import { orgCommand } from '../features/organizations/organizations.command.ts'
import { ruleCommand } from '../features/rules/rule.command.ts'
import { policyCommand } from '../features/rules/policy.command.ts'
import { approvalCommand } from '../features/approvals/approval.command.ts'
import { lockCommand } from '../features/connections/lock.command.ts'
import { toolsetCommand } from '../features/toolsets/toolset.command.ts'
import { vaultCommand } from './vault/vault-commands.ts'
import { completionCommand } from './completion.ts'
import { watchCommand } from '../features/records/watch.command.ts'
import { recordsCommand } from '../features/records/records.command.ts'
import { scimCommand } from '../features/scim/scim.command.ts'
import {
  emailDomainCommand,
  identityProviderCommand,
} from '../features/identity-providers/identity-providers.command.ts'
import { recordStreamCommand } from '../features/record-streams/record-streams.command.ts'

const CODES = `
Exit codes: 0 success · 1 failed · 2 usage error · 3 the tool reported an error · 4 no gateway or no valid key · 5 a plan has pending changes`

/** Run one command line; its exit code. */
export async function run(words: readonly string[]): Promise<number> {
  let code: number = EXIT.ok
  // A reader of only the first lines (`| head`) closes the pipe; that is no error of the command.
  process.stdout.on('error', () => process.exit(code))
  // What nobody waited for ends a command in words, too. A gateway logs it.
  if (words[0] !== 'start')
    process.on('uncaughtException', (thrown) => {
      void tellFailure(thrown, words.includes('--json')).then((failed) => process.exit(failed))
    })
  const program = buildProgram((result) => (code = result))
  try {
    await program.parseAsync(words.length === 0 ? ['status'] : meantWords(program, words), { from: 'user' })
    return code
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage
    return tellFailure(thrown, words.includes('--json'))
  }
}

/**
 * Without a request for help after a subcommand that does not exist: commander would show the help of the command above with exit
 * code 0, as if there were one.
 */
function meantWords(program: Command, words: readonly string[]): string[] {
  let command = program
  for (const word of words) {
    if (command.commands.length === 0 || word.startsWith('-')) break
    const next = command.commands.find((item) => item.name() === word || item.aliases().includes(word))
    if (next === undefined && word !== 'help') return words.filter((value) => value !== '--help' && value !== '-h')
    if (next === undefined) break
    command = next
  }
  return [...words]
}

function buildProgram(finish: Finish): Command {
  const program = new Command('toolway')
    .description(
      'A tool gateway: connects AI clients to an organization’s tools over MCP, with sign-in, policies, approvals and an audit log.',
    )
    .version(VERSION)
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('Try --help.')
    .addHelpText('after', CODES)
  const add = (command: Command) => program.addCommand(dress(command))
  add(startCommand(finish))
  add(statusCommand(finish))
  add(watchCommand(finish))
  add(openCommand(finish))
  add(migrateCommand(finish))
  add(connectionCommand(finish, accountCommands))
  add(lockCommand(finish))
  add(toolsetCommand(finish))
  add(approvalCommand(finish))
  add(toolsCommand(finish))
  add(callCommand(finish))
  add(keyCommand(finish))
  add(orgCommand(finish))
  add(ruleCommand(finish))
  add(policyCommand(finish))
  add(loginCommand(finish))
  add(logoutCommand(finish))
  add(whoamiCommand(finish))
  add(userCommand(finish))
  add(memberCommand(finish))
  add(groupCommand(finish))
  add(clientCommand(finish))
  add(fileCommand(finish))
  add(vaultCommand(finish))
  add(recordsCommand(finish))
  add(identityProviderCommand(finish))
  add(emailDomainCommand(finish))
  add(recordStreamCommand(finish))
  add(scimCommand(finish))
  add(backupCommand(finish))
  add(restoreCommand(finish))
  add(importCommand(finish))
  add(exportCommand(finish))
  add(planCommand(finish))
  add(applyCommand(finish))
  add(doctorCommand(finish))
  add(configCommand(finish))
  program.addCommand(bridgeCommand())
  program.addCommand(completionCommand(program).exitOverride().showHelpAfterError('Try --help.'))
  return program
}

/** Applies the settings of all commands, subcommands included. */
function dress(command: Command): Command {
  command.exitOverride().showSuggestionAfterError().showHelpAfterError('Try --help.')
  if (command.commands.length === 0) {
    if (command.name() !== 'start') command.option('--json', 'print JSON')
    command.addHelpText('after', CODES)
    const whole = command.parent?.name() === 'connection' || !WITHOUT_ORGANIZATION.has(command.name())
    if (whole && !OF_PLATFORM.has(command.parent?.name() ?? ''))
      command.option('-o, --organization <slug>', 'the organization', 'default')
  }
  for (const inner of command.commands) dress(inner)
  return command
}

/** Commands about the process, or about the organization that a key belongs to. */
const WITHOUT_ORGANIZATION = new Set([
  'start',
  'migrate',
  'config',
  'plan',
  'apply',
  'tools',
  'call',
  'login',
  'logout',
  'whoami',
  'restore',
])
/** Commands whose subcommands speak of all organizations. */
const OF_PLATFORM = new Set(['org', 'rule', 'user', 'client', 'vault', 'backup'])

const startCommand = (finish: Finish) =>
  new Command('start')
    .description('start the gateway (settings come from the environment; `toolway config` lists them)')
    .addHelpText(
      'after',
      examples(
        'toolway start',
        'TOOLWAY_PORT=9000 toolway start',
        'TOOLWAY_CONFIG=toolway.yaml toolway start',
        'TOOLWAY_STORE=none TOOLWAY_CONFIG=toolway.yaml toolway start',
        'toolway start --preset curatore',
        'toolway start --preset agent',
      ),
    )
    .addOption(new Option('--preset <name>', 'use the defaults of a preset').choices(PRESET_NAMES))
    .action(async ({ preset }: { preset?: string }) => {
      const loaded = await openConfig(preset === undefined ? {} : { TOOLWAY_PRESET: preset })
      // One of them loads a database driver, and the other never does.
      const start =
        loaded.config.TOOLWAY_STORE === 'none'
          ? (await import('./start-declared.ts')).startDeclared
          : (await import('./start.ts')).start
      finish(await start(loaded))
    })

const withEndpoint = (command: Command) =>
  command
    .option(
      '--url <address>',
      'address of the gateway or of one of its MCP endpoints (default: TOOLWAY_URL, or the gateway of this data directory)',
    )
    .option('--key-env <name>', 'environment variable with the API key (default: TOOLWAY_KEY, or the local key)')
    .option('--key <key>', 'the API key itself, visible to every user of this machine; prefer --key-env')

interface Calling {
  json?: boolean
  url?: string
  key?: string
  keyEnv?: string
}

const toolsCommand = (finish: Finish) =>
  withEndpoint(new Command('tools').description('list the tools that a key can see'))
    .addHelpText(
      'after',
      examples(
        'toolway tools',
        'toolway tools --json',
        'toolway tools --url https://tools.example.com/mcp --key-env TEAM_KEY',
      ),
    )
    .action(async (options: Calling) =>
      finish(await (await import('../features/tools/tools.command.ts')).tools(options, outputOf(options))),
    )

const callCommand = (finish: Finish) =>
  withEndpoint(new Command('call').description('call one tool'))
    .argument('<tool>', 'name, as shown by `toolway tools`')
    .argument('[arguments]', 'a JSON object; - reads it from standard input', '{}')
    .addHelpText(
      'after',
      examples(
        `toolway call demo__calculate '{"expression": "2 * (3 + 4)"}'`,
        `echo '{"zones": ["Asia/Tokyo"]}' | toolway call demo__world_clock -`,
      ),
    )
    .action(async (tool: string, text: string, options: Calling) =>
      finish(await (await import('../features/tools/tools.command.ts')).call(tool, text, options, outputOf(options))),
    )

const statusCommand = (finish: Finish) =>
  new Command('status')
    .description('show the state of the gateway and the next steps, like `toolway` without a command')
    .addHelpText('after', examples('toolway', 'toolway status --json'))
    .action(async (options: Common) =>
      finish(await (await import('./status.ts')).status(options.organization, outputOf(options))),
    )

const migrateCommand = (finish: Finish) =>
  new Command('migrate')
    .description(
      'migrate the database at DATABASE_URL to the schema of this version, as happens whenever the gateway starts',
    )
    .addHelpText('after', examples('DATABASE_URL=postgres://toolway@db.example.com/toolway toolway migrate'))
    .action(async (options: { json?: boolean }) =>
      finish(await (await import('./migrate.ts')).migrateDatabase(outputOf(options))),
    )

const openCommand = (finish: Finish) =>
  new Command('open')
    .description('open the console in a browser, and print its address')
    .argument('[page]', 'address below the console, such as rules or records')
    .addHelpText('after', examples('toolway open', 'toolway open records'))
    .action(async (page: string | undefined, options: Common) =>
      finish(await (await import('./open-console.ts')).openConsole(options.organization, page, outputOf(options))),
    )

const doctorCommand = (finish: Finish) =>
  new Command('doctor')
    .description('check everything that the gateway needs to start and to make calls')
    .addHelpText('after', examples('toolway doctor', 'toolway doctor --preset agent', 'toolway doctor --json'))
    .addOption(new Option('--preset <name>', 'check what a preset needs').choices(PRESET_NAMES))
    .action(async (options: Common & { preset?: string }) =>
      finish(await (await import('./doctor.ts')).doctor(options.organization, outputOf(options), options.preset)),
    )

const configCommand = (finish: Finish) =>
  new Command('config')
    .description('show the active settings and where each comes from')
    .addHelpText('after', examples('toolway config', 'TOOLWAY_PORT=9000 toolway config --json'))
    .action(async (options: { json?: boolean }) =>
      finish(await (await import('./config-list.ts')).listConfig(outputOf(options))),
    )

/** The launcher runs it before anything here is loaded; who comes another way is told. */
const bridgeCommand = () =>
  new Command('bridge')
    .description('run the stdio bridge, for clients that start servers as processes')
    .allowUnknownOption()
    .helpOption(false)
    .argument('[options...]')
    .action(() => {
      throw new CommandFault(
        'Start the bridge with `npx toolway bridge`; `npx toolway bridge --help` shows its options.',
        EXIT.usage,
      )
    })
