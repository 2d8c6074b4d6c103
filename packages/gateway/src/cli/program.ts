/** The command line: what can be said, with examples, and which command does it. Commands are loaded when they are used. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { REVISIONS } from '@toolway/contract'
import { ConfigFault, loadConfig } from '../config.ts'
import { PRESET_NAMES } from '../config-presets.ts'
import { DatabaseUnreachable } from '../db/unreachable.ts'
import { DirectoryInUse } from '../db/embedded/directory-in-use.ts'
import { WrongVaultKey } from '../vault/ring.ts'
import { VERSION } from '../call/introduce.ts'
import { withAuth } from './accounts/account-commands.ts'
import { accountCommands } from './accounts/accounts.ts'
import type { AuthWords } from './accounts/auth-words.ts'
import { examples, outputOf, type Common, type Finish } from './command-words.ts'
import { applyCommand, exportCommand, planCommand } from './declaration/declaration-commands.ts'
import { keyCommand } from './key.ts'
import { CommandFault, EXIT, harmless } from './terminal/output.ts'
import { clientCommand } from './client.ts'
import { groupCommand } from './people/group.ts'
import { memberCommand } from './people/member.ts'
import { loginCommand, logoutCommand, whoamiCommand } from './people/people-commands.ts'
import { userCommand } from './people/user.ts'
import { orgCommand } from './platform/org.ts'
import { ruleCommand } from './platform/rule.ts'
import { policyCommand } from './policy/rules.ts'
import { approvalCommand } from './approval.ts'
import { lockCommand } from './lock/lock.ts'
import { toolsetCommand } from './toolset.ts'
import { vaultCommand } from './vault/vault-commands.ts'
import { recordsCommand } from './records/records-commands.ts'

const CODES = `
Exit codes: 0 done · 1 failed · 2 wrong use · 3 the tool itself reported an error · 4 no gateway or no valid key · 5 a plan has something to do`

const collect = (value: string, before: string[]) => [...before, value]
const seconds = (text: string): number => {
  const value = Number(text)
  if (value > 0 && value <= 3600) return value
  throw new InvalidArgumentError('A number of seconds up to 3600.')
}

/** The value may be a secret, so the message does not repeat it. */
function inputOf(pair: string): [string, string] {
  const at = pair.indexOf('=')
  if (at < 1) throw new CommandFault('An --input has no "=": write --input id=value.', EXIT.usage)
  return [pair.slice(0, at), pair.slice(at + 1)]
}

/** Run one command line; its exit code. */
export async function run(words: readonly string[]): Promise<number> {
  let code: number = EXIT.ok
  // Whoever reads only the first lines (`| head`) closes the pipe; that is no fault of the command's.
  process.stdout.on('error', () => process.exit(code))
  const program = build((result) => (code = result))
  try {
    await program.parseAsync(words, { from: 'user' })
    return code
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage
    return tell(thrown, words.includes('--json'))
  }
}

/** One sentence on stderr. What nobody foresaw shows its stack, because it is a bug. */
function tell(thrown: unknown, json: boolean): number {
  const known = KNOWN.some((kind) => thrown instanceof kind)
  const message = harmless(messageOf(thrown))
  const code = thrown instanceof CommandFault ? thrown.exitCode : EXIT.failed
  if (json) process.stderr.write(`${JSON.stringify({ error: message, exitCode: code })}\n`)
  else process.stderr.write(`${message}\n`)
  if (!known && thrown instanceof Error) process.stderr.write(`${harmless(thrown.stack ?? '')}\n`)
  return code
}

/** A fault of the database is told to callers without its reason, which the operator at this terminal needs. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof DatabaseUnreachable) return thrown.forOperator
  return thrown instanceof Error ? thrown.message : String(thrown)
}

const KNOWN = [CommandFault, ConfigFault, DatabaseUnreachable, DirectoryInUse, WrongVaultKey]

function build(finish: Finish): Command {
  const program = new Command('toolway')
    .description('One guarded way between AI clients and the tools of an organization.')
    .version(VERSION)
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('Try --help.')
    .addHelpText('after', CODES)
  const add = (command: Command) => program.addCommand(dress(command))
  add(startCommand(finish))
  add(connectionCommand(finish))
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
  add(vaultCommand(finish))
  add(recordsCommand(finish))
  add(importCommand(finish))
  add(exportCommand(finish))
  add(planCommand(finish))
  add(applyCommand(finish))
  add(doctorCommand(finish))
  add(configCommand(finish))
  program.addCommand(bridgeCommand())
  return program
}

/** What holds for every command, below subcommands too. */
function dress(command: Command): Command {
  command.exitOverride().showSuggestionAfterError().showHelpAfterError('Try --help.')
  if (command.commands.length === 0) {
    if (command.name() !== 'start') command.option('--json', 'print one JSON value for programs')
    command.addHelpText('after', CODES)
    const whole = command.parent?.name() === 'connection' || !WITHOUT_ORGANIZATION.has(command.name())
    if (whole && !OF_PLATFORM.has(command.parent?.name() ?? ''))
      command.option('-o, --organization <slug>', 'the organization', 'default')
  }
  for (const inner of command.commands) dress(inner)
  return command
}

/** What concerns the process, or whatever organization a key belongs to. */
const WITHOUT_ORGANIZATION = new Set(['start', 'config', 'plan', 'apply', 'tools', 'call', 'login', 'logout', 'whoami'])
/** Commands whose subcommands speak of all organizations. */
const OF_PLATFORM = new Set(['org', 'rule', 'user', 'client', 'vault'])

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
      ),
    )
    .addOption(
      new Option('--preset <name>', 'start as a preset says, where no setting says otherwise').choices(PRESET_NAMES),
    )
    .action(async ({ preset }: { preset?: string }) => {
      const loaded = loadConfig(undefined, undefined, preset === undefined ? {} : { TOOLWAY_PRESET: preset })
      // One of them loads a database driver, and the other never does.
      const start =
        loaded.config.TOOLWAY_STORE === 'none'
          ? (await import('./start-declared.ts')).startDeclared
          : (await import('./start.ts')).start
      finish(await start(loaded))
    })

function connectionCommand(finish: Finish): Command {
  const command = new Command('connection').description(
    'add, list, remove, restart and test connections, and connect accounts to them',
  )
  withAuth(command.command('add'))
    .description(
      'connect an MCP server, a remote one by --url or one that is started here after --, a REST server by --openapi, or a backend by --contract',
    )
    .argument('<alias>', 'its name for good; tools are called <alias>__<tool>')
    .argument('[command...]', 'after --: the command to start, with its arguments')
    .option(
      '--url <address>',
      'address of a remote server: http(s):// (Streamable HTTP or HTTP+SSE) or ws(s):// (WebSocket)',
    )
    .option('--contract <address>', 'address of a backend that describes its functions by contracts: http(s)://')
    .option('--org-id <id>', 'the organization as the contract backend knows it (default: its name here)')
    .option('--side-effects', 'offer functions of a contract backend that change something, too')
    .option('--allow <name>', 'offer this function although it changes something; may be repeated', collect, [])
    .option('--on-behalf', 'tell the contract backend for which member a trusted key calls')
    .option('--header <pair>', 'header to send to a remote server, "Name: value"; may be repeated', collect, [])
    .option('--header-from <file>', 'file of headers, one a line; - is standard input. For secrets')
    .option('--env <pair>', 'variable for a started server, NAME=value, or NAME as it is set here', collect, [])
    .option('--env-from <file>', 'file of variables, NAME=value; - is standard input. For secrets')
    .option(
      '--openapi <source>',
      'address or file of an OpenAPI document (2.0, 3.0, 3.1); --url then says where calls go',
    )
    .option(
      '--include <pattern>',
      'of --openapi: operations that are tools (operation:, tag:, method:, path:); may be repeated',
      collect,
      [],
    )
    .option('--exclude <pattern>', 'of --openapi: operations that are none; may be repeated', collect, [])
    .option('--effect <pair>', 'of --openapi: PATTERN=read, =write or =destructive; may be repeated', collect, [])
    .option('--key-in <place>', 'of --openapi: where a key goes that is no header, query:NAME or cookie:NAME')
    .option('--preview', 'of --openapi: show what it would become, and keep nothing')
    .option('--title <text>', 'name for people')
    .addOption(
      new Option('--revision <date>', 'pin the protocol revision it speaks')
        .choices(['auto', ...REVISIONS])
        .default('auto'),
    )
    .option('--timeout <seconds>', 'time for one request (default: 30 for a command, 60 for --url)', seconds)
    .addHelpText(
      'after',
      examples(
        'toolway connection add docs --url https://example.com/mcp --header-from docs.headers',
        'toolway connection add issues --url https://mcp.example.com/mcp --auth oauth --owners member',
        'toolway connection add live --url wss://example.com/mcp',
        'toolway connection add cwr --contract https://backend.example.com --header-from cwr.headers',
        'toolway connection add shop --openapi https://shop.example.com/openapi.json --preview',
        'toolway connection add shop --openapi shop.yaml --url https://shop.example.com/v2 --include tag:orders',
        'toolway connection add search --env SEARCH_API_KEY -- npx -y some-search-server',
        'toolway connection add files -- npx -y @modelcontextprotocol/server-filesystem /srv/files',
        'toolway connection add memory --env MEMORY_FILE_PATH=memory.json -- npx -y @modelcontextprotocol/server-memory',
      ),
    )
    .action(
      async (
        alias: string,
        words: string[],
        options: Common &
          AuthWords & {
            url?: string
            contract?: string
            orgId?: string
            sideEffects?: boolean
            allow: string[]
            onBehalf?: boolean
            header: string[]
            headerFrom?: string
            env: string[]
            envFrom?: string
            title?: string
            revision: string
            timeout?: number
            openapi?: string
            include: string[]
            exclude: string[]
            effect: string[]
            keyIn?: string
            preview?: boolean
          },
      ) => {
        const { openapi } = options
        const said = { ...options, alias, command: words }
        const output = outputOf(options)
        finish(
          openapi === undefined
            ? await (await import('./connection.ts')).add(said, output)
            : await (await import('./openapi/openapi.ts')).add({ ...said, openapi }, output),
        )
      },
    )
  command
    .command('list')
    .description('list connections, how they are and how many tools they have')
    .addHelpText('after', examples('toolway connection list', 'toolway connection list --json'))
    .action(async (options: Common) =>
      finish(await (await import('./connection.ts')).list(options.organization, outputOf(options))),
    )
  command
    .command('remove')
    .description('remove a connection with its secrets')
    .addHelpText('after', examples('toolway connection remove docs'))
    .argument('<alias>')
    .action(async (alias: string, options: Common) =>
      finish(await (await import('./connection.ts')).remove(options.organization, alias, outputOf(options))),
    )
  command
    .command('refresh')
    .description('show what a newer OpenAPI document of a connection changes, and take it in with --apply')
    .addHelpText(
      'after',
      examples('toolway connection refresh shop', 'toolway connection refresh shop --openapi shop.yaml --apply'),
    )
    .argument('<alias>')
    .option('--openapi <source>', 'address or file of it, where that is another than before')
    .option('--apply', 'keep it')
    .action(async (alias: string, options: Common & { openapi?: string; apply?: boolean }) =>
      finish(await (await import('./openapi/openapi.ts')).refresh({ ...options, alias }, outputOf(options))),
    )
  command
    .command('restart')
    .description(
      'end what the gateway holds of a connection and open it anew; a server that was given up is started again',
    )
    .addHelpText('after', examples('toolway connection restart files'))
    .argument('<alias>')
    .action(async (alias: string, options: Common) =>
      finish(await (await import('./connection.ts')).restart(options.organization, alias, outputOf(options))),
    )
  command
    .command('test')
    .description('connect now, keep what it offers, and say at which step it fails')
    .addHelpText('after', examples('toolway connection test docs'))
    .argument('<alias>')
    .action(async (alias: string, options: Common) =>
      finish(await (await import('./connection.ts')).test(options.organization, alias, outputOf(options))),
    )
  for (const one of accountCommands) command.addCommand(one(finish))
  return command
}

const withEndpoint = (command: Command) =>
  command
    .option(
      '--url <address>',
      'address of the MCP endpoint (default: the gateway of this data directory; or TOOLWAY_URL)',
    )
    .option('--key-env <name>', 'variable with the key to call with (default: TOOLWAY_KEY, or the local key)')
    .option('--key <key>', 'the key itself, which every user of this machine can then read: rather --key-env')

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
    .action(async (options: Calling) => finish(await (await import('./tools.ts')).tools(options, outputOf(options))))

const callCommand = (finish: Finish) =>
  withEndpoint(new Command('call').description('call one tool'))
    .argument('<tool>', 'its name as `toolway tools` shows it')
    .argument('[arguments]', 'a JSON object; - reads it from standard input', '{}')
    .addHelpText(
      'after',
      examples(
        `toolway call demo__calculate '{"expression": "2 * (3 + 4)"}'`,
        `echo '{"zones": ["Asia/Tokyo"]}' | toolway call demo__world_clock -`,
      ),
    )
    .action(async (tool: string, text: string, options: Calling) =>
      finish(await (await import('./tools.ts')).call(tool, text, options, outputOf(options))),
    )

const importCommand = (finish: Finish) =>
  new Command('import')
    .description("take over the servers of a client's mcp.json (Claude Desktop, Cursor, VS Code and others)")
    .argument('[file]', 'the settings file')
    .option('--input <pair>', 'value for an ${input:id} of the file, id=value; may be repeated', collect, [])
    .option('--dry-run', 'only say what would be done')
    .option('--undo', 'take the last import back')
    .addHelpText(
      'after',
      examples(
        'toolway import ~/.cursor/mcp.json',
        'toolway import .vscode/mcp.json --input token=…',
        'toolway import --undo',
      ),
    )
    .action(
      async (file: string | undefined, options: Common & { input: string[]; dryRun?: boolean; undo?: boolean }) => {
        const { importFile, undoImport } = await import('./import/import-file.ts')
        if (options.undo === true) return finish(await undoImport(options.organization, outputOf(options)))
        if (file === undefined) throw new CommandFault('Say which file to import, or --undo.', EXIT.usage)
        const inputs = Object.fromEntries(options.input.map(inputOf))
        finish(
          await importFile(
            { organization: options.organization, file, inputs, dryRun: options.dryRun === true },
            outputOf(options),
          ),
        )
      },
    )

const doctorCommand = (finish: Finish) =>
  new Command('doctor')
    .description('check everything that a start and a call need')
    .addHelpText('after', examples('toolway doctor', 'toolway doctor --json'))
    .action(async (options: Common) =>
      finish(await (await import('./doctor.ts')).doctor(options.organization, outputOf(options))),
    )

const configCommand = (finish: Finish) =>
  new Command('config')
    .description('show the settings in force and where each came from')
    .addHelpText('after', examples('toolway config', 'TOOLWAY_PORT=9000 toolway config --json'))
    .action(async (options: { json?: boolean }) =>
      finish((await import('./config-list.ts')).listConfig(outputOf(options))),
    )

/** The launcher runs it before anything here is loaded; who comes another way is told. */
const bridgeCommand = () =>
  new Command('bridge')
    .description('connect a client that starts its servers as processes: MCP on stdin and stdout')
    .allowUnknownOption()
    .helpOption(false)
    .argument('[options...]')
    .action(() => {
      throw new CommandFault('The bridge is started by the launcher: `npx toolway bridge --help`.', EXIT.usage)
    })
