/** An MCP server that the gateway starts as a program. */
import {
  type ChildAccess,
  type ConnectionAuthChange,
  ConnectionSecrets,
  Fault,
  type ProcessSettings,
} from '@toolway/contract'
import { isDeepStrictEqual } from 'node:util'
import { maskArguments } from '@toolway/contract/secret-marks'
import { createAccountChildren } from '../../upstreams/stdio/account-children.ts'
import { createStdioUpstream } from '../../upstreams/stdio/stdio-upstream.ts'
import type { Kind } from '../kind.ts'
import { checkSettings, mergePairs, mismatch, refuseMask } from '../settings.ts'
import { commandOf, environmentOf } from './source-words.ts'

export interface ProcessWire {
  readonly kind: 'process'
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Programs besides the command that must be in PATH. */
  readonly programs?: readonly string[]
  /** Its reach besides its own folder. */
  readonly access?: ChildAccess
  /** Accounts that it is given in a variable; absent: none. */
  readonly auth?: ConnectionAuthChange | undefined
}

/** A program as it is described. */
export const programOf = (
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  programs: readonly string[] = [],
  access: ChildAccess = {},
): ProcessWire => ({
  ...{ kind: 'process', command, args, environment },
  ...(programs.length === 0 ? {} : { programs }),
  ...(Object.keys(access).length === 0 ? {} : { access }),
})

/** The members that are said, of a request or of settings. */
export const accessOf = ({ network, allow_hosts: hosts, allow_paths: paths }: ChildAccess): ChildAccess => ({
  ...(network === undefined ? {} : { network }),
  ...(hosts === undefined ? {} : { allow_hosts: hosts }),
  ...(paths === undefined ? {} : { allow_paths: paths }),
})

/** The members that differ from what holds where nothing is said: a connection that says the default is the same as one that does not. */
const storedAccess = ({
  network = 'public',
  allow_hosts: hosts = [],
  allow_paths: paths = [],
}: ChildAccess): ChildAccess => ({
  ...(network === 'public' ? {} : { network }),
  ...(hosts.length === 0 ? {} : { allow_hosts: hosts }),
  ...(paths.length === 0 ? {} : { allow_paths: paths }),
})

/** Said of a request or held; without a word of it there are no accounts. */
const accountsOf = (auth: ConnectionAuthChange): Pick<ProcessWire, 'auth'> =>
  Object.keys(auth).length === 0 ? {} : { auth }

/** Throws `params.shape` where it cannot be told for whom the program runs. */
function storedAuth({ auth, environment }: ProcessWire): { readonly auth?: ConnectionAuthChange } {
  if (auth === undefined || auth.kind === 'none') return {}
  const { kind = 'key', variable, provider, brought } = auth
  const refuse = (pointer: string, problem: string) => new Fault('params.shape', { place: `/auth/${pointer}`, problem })
  if (kind === 'auto') throw refuse('kind', 'cannot be auto for a program: use key or oauth')
  if (variable === undefined)
    throw refuse('variable', 'is missing: the variable that contains the token or key of an account')
  if (Object.hasOwn(environment, variable)) throw refuse('variable', 'is also one of the variables of the connection')
  if (kind === 'oauth' && (provider === undefined || provider === 'mcp'))
    throw refuse('provider', 'is missing: a program has no authorization server of its own')
  if (brought === true) throw refuse('brought', 'cannot be true for a program: it is started for a stored account')
  return { auth: { prefix: '', ...auth, kind } }
}

export const stdio: Kind<ProcessSettings, ProcessWire> = {
  connector: 'mcp.process',
  wire: 'process',
  takes: [
    'command',
    'args',
    'programs',
    'network',
    'allow_hosts',
    'allow_paths',
    'environment',
    'auth',
    'runtime_command',
    'runtime_env',
    'package_path',
    'configuration',
  ],
  meantBy: ['command', 'runtime_command'],
  runtimes: {
    form: /^external_(python|nodejs|go|custom)$/,
    words: 'external_python, external_nodejs, external_go, external_custom',
  },
  describe(request, connection) {
    const shown = connection?.settings
    const next = commandOf(request)
    const command = next.command ?? shown?.command
    if (command === undefined) throw mismatch('/command', 'is missing')
    const before = connection?.secrets.args ?? shown?.args ?? []
    const args = next.args === undefined || isDeepStrictEqual(next.args, shown?.args) ? before : next.args
    if (args !== before) for (const [at, arg] of args.entries()) refuseMask(`/args/${at}`, arg)
    const { pairs, kept } = mergePairs(
      '/environment',
      connection?.secrets.environment ?? {},
      environmentOf(request),
      false,
    )
    return {
      wire: {
        ...programOf(command, args, pairs, request.programs ?? shown?.programs, {
          ...accessOf(shown ?? {}),
          ...accessOf(request),
        }),
        ...accountsOf({ ...shown?.auth, ...request.auth }),
      },
      moved: shown !== undefined && (command !== shown.command || !isDeepStrictEqual(args, before)),
      keeps: kept || (connection?.secrets.args !== undefined && args === before),
    }
  },
  parts({ revision, timeout, checks }, wire, shown) {
    const args = [...(shown?.args ?? wire.args)]
    const masked = args.some((arg, index) => arg !== wire.args[index])
    const { programs = [], access = {} } = wire
    const own = { ...(checks === undefined ? {} : { checks }), ...(programs.length === 0 ? {} : { programs }) }
    return {
      settings: checkSettings({
        connector: 'mcp.process',
        command: wire.command,
        args,
        revision,
        timeout,
        ...own,
        ...storedAccess(access),
        ...storedAuth(wire),
      }),
      secrets: ConnectionSecrets.parse({ environment: wire.environment, ...(masked ? { args: [...wire.args] } : {}) }),
    }
  },
  shown: ({ args }) => ({ args: maskArguments(args) }),
  view: ({
    command,
    args,
    programs = [],
    network = 'public',
    allow_hosts: hosts = [],
    allow_paths: paths = [],
    auth,
  }) => ({
    ...{ command, args, programs, network },
    ...{ allow_hosts: hosts, allow_paths: paths },
    ...(auth === undefined ? {} : { auth }),
  }),
  open({ reach, settings, secrets, organization }, context) {
    const {
      command,
      args,
      programs = [],
      network,
      allow_hosts: allowHosts = [],
      allow_paths: allowPaths = [],
    } = settings
    const own = { organization, allowHosts, allowPaths, ...(network === undefined ? {} : { network }) }
    const wire = {
      command,
      args: secrets.args ?? args,
      shownArgs: args,
      environment: secrets.environment,
      programs,
      ...own,
    }
    return settings.auth === undefined
      ? createStdioUpstream({ ...context, reach: { ...reach, wire } })
      : createAccountChildren({ ...context, reach: { ...reach, wire } })
  },
}
