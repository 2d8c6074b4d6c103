/**
 * Recognizes commands that only connect to a remote server, and commands that start this gateway.
 *
 * Looks through `cmd /c`, and through `npx`, `bunx`, `pnpm dlx` and `yarn dlx`, at the package that is run. An `mcp-remote`
 * command (README of mcp-remote 0.15) is parsed into its address and headers. The list of flags that take a value is mcp-remote's
 * own, with the value in the next word or behind an equals sign; an unknown flag is reported, never guessed. Runs nothing.
 */
export interface RemoteCommand {
  url: string
  /** Header lines as written, `Name:value`, placeholders not yet filled. */
  headers: string[]
  /** Names of the flags that a direct connection does not carry over, without their values. */
  dropped: string[]
  /** Tools that it hides: names, or patterns with `*`. */
  ignored: string[]
}

interface RunPackage {
  /** Package or program name without version and path. */
  name: string
  args: readonly string[]
}

const RUNNERS = new Set(['npx', 'bunx', 'pnpx', 'pnpm', 'yarn', 'bun', 'npm', 'uvx'])
const RUNNER_WORDS = new Set(['dlx', 'exec', 'x', '--'])
const RUNNER_FLAGS_WITH_VALUE = new Set(['-p', '--package', '-c', '--call', '-w', '--workspace', '--registry'])
const REMOTE_FLAGS_WITH_VALUE = new Set([
  '--header-file',
  '--transport',
  '--host',
  '--callback-path',
  '--auth-success-url',
  '--resource',
  '--authorize-param',
  '--auth-timeout',
  '--connect-timeout',
  '--headers-timeout',
  '--body-timeout',
  '--ping-interval',
  '--protocol',
  '--static-oauth-client-metadata',
  '--static-oauth-client-info',
  '--client-metadata-url',
  '--token-endpoint',
])
/** Flags a direct connection needs no substitute for. */
const HARMLESS = new Set([
  '--allow-http',
  '--debug',
  '--silent',
  '--transport',
  '--auth-timeout',
  '--protocol',
  '--keep-alive',
  '--host',
  '--callback-path',
  '--ping-interval',
])

/** The command without a `cmd /c` in front, which Windows needs to start npx. */
export function unwrapShell(command: string, args: readonly string[]): { command: string; args: readonly string[] } {
  const [flag, inner, ...rest] = args
  if (baseName(command) !== 'cmd' || flag?.toLowerCase() !== '/c' || inner === undefined) return { command, args }
  return { command: inner, args: rest }
}

/** The package a command runs: `npx -y @scope/name@1.2 a b` runs `@scope/name` with `a b`. */
export function packageOf(command: string, args: readonly string[]): RunPackage {
  const program = baseName(command)
  if (!RUNNERS.has(program)) return { name: program, args }
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (RUNNER_FLAGS_WITH_VALUE.has(arg)) at += 1
    else if (!arg.startsWith('-') && !RUNNER_WORDS.has(arg)) break
  }
  return { name: (args[at] ?? '').replace(/(?<=.)@[^@/]*$/, ''), args: args.slice(at + 1) }
}

const BRIDGE = /(?:^|[\\/])toolway-bridge(?:\.mjs)?$/

/** Whether it is this product's own, the stdio bridge included: importing it would connect the gateway to itself. */
export const isOwn = ({ name, args: [first = ''] }: RunPackage) =>
  name === 'toolway' || name.startsWith('@toolway/') || BRIDGE.test(name === 'node' ? first : name)

/** Returns the target of an mcp-remote command; undefined for other commands and for a command without an address. */
export function remoteOf({ name, args }: RunPackage): RemoteCommand | undefined {
  if (name !== 'mcp-remote') return undefined
  const remote = { headers: [] as string[], dropped: [] as string[], ignored: [] as string[] }
  const positional: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    const [, flag = arg, joined] = /^(--[^=]+)=([^]*)$/.exec(arg) ?? []
    const value = () => joined ?? args[(at += 1)] ?? ''
    if (!arg.startsWith('-')) positional.push(arg)
    else if (flag === '--header') remote.headers.push(value())
    else if (flag === '--ignore-tool') remote.ignored.push(value())
    else {
      if (!HARMLESS.has(flag)) remote.dropped.push(flag)
      if (REMOTE_FLAGS_WITH_VALUE.has(flag)) value()
    }
  }
  const [url] = positional
  return url === undefined ? undefined : { url, ...remote }
}

const baseName = (command: string) =>
  (command.split(/[\\/]/).at(-1) ?? command).toLowerCase().replace(/\.(?:exe|cmd|bat|ps1)$/, '')
