/** Client programs as people start them, from where npm put them: nothing is downloaded while tests run. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { clientConfigurations } from '../../../../packages/gateway/src/cli/clients/client-configurations.ts'
import { PATIENCE_MS } from '../../../../packages/gateway/src/testing/patience.ts'

const modules = join(import.meta.dirname, '../../../../node_modules')

/** A home of its own for programs that write there, removed at the end. */
export async function createHome(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'toolway-home-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** `mcp-inspector --cli URL …` with the key in its header, as its help says. */
export async function inspect(
  { url, key, home }: { url: string; key: string; home: string },
  words: string[],
): Promise<Ran> {
  const { bin } = JSON.parse(await readFile(join(modules, '@modelcontextprotocol/inspector/package.json'), 'utf8')) as {
    bin: { 'mcp-inspector': string }
  }
  const entry = join(modules, '@modelcontextprotocol/inspector', bin['mcp-inspector'])
  const args = [entry, '--cli', url, '--transport', 'http', '--header', `Authorization: Bearer ${key}`, ...words]
  return new Promise((resolve) => {
    const env = { HOME: home, PATH: dirname(process.execPath) }
    execFile(process.execPath, args, { env, timeout: PATIENCE_MS, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr })
    })
  })
}

/** How Claude Desktop starts mcp-remote by the entry that the gateway prints for it. */
export function desktopEntry({ url, key, home }: { url: string; key: string; home: string }) {
  const found = clientConfigurations({ url, key }).find(({ client }) => client === 'Claude Desktop')
  const { mcpServers } = JSON.parse(found?.text ?? '') as {
    mcpServers: { toolway: { command: string; args: string[]; env: Record<string, string> } }
  }
  const { args, env } = mcpServers.toolway
  // The installed program in place of what npx would download; everything after its name is as printed.
  const program = join(modules, 'mcp-remote/dist/proxy.js')
  return {
    command: process.execPath,
    args: [program, ...args.slice(args.indexOf('mcp-remote') + 1)],
    env: { ...env, HOME: home, MCP_REMOTE_CONFIG_DIR: join(home, 'auth'), PATH: dirname(process.execPath) },
  }
}
