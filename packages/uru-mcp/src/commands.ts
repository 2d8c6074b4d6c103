/** The commands besides serving: what they print goes to stdout, questions to stderr. No key is printed. */
import { rename, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Proxy } from './proxy.ts'
import { readSettings, type Settings } from './settings.ts'

/** The entry for a client that starts its servers as processes, without the key itself. */
export const claudeConfig = ({ proxyUrl }: Settings): string =>
  `${JSON.stringify(
    {
      mcpServers: {
        uru: {
          command: 'npx',
          args: ['-y', 'uru-mcp'],
          env: { URU_API_KEY: 'YOUR_KEY', URU_PROXY_URL: proxyUrl.href.replace(/\/$/, '') },
        },
      },
    },
    undefined,
    2,
  )}\n`

/** The lines to print; throws what the proxy refuses with. */
export async function testConnection(proxy: Proxy, { proxyUrl, key }: Settings, signal: AbortSignal): Promise<string> {
  await proxy.health({ key: undefined, signal })
  const apps = await proxy.apps({ key, signal })
  const list = apps.length === 0 ? 'none yet' : apps.join(', ')
  return `The proxy at ${proxyUrl.origin} responds and accepts the key.\nApps: ${list}\n`
}

/** Asks on the terminal, and writes the file so that nobody else may read it. */
export async function setup(file: string, { proxyUrl, key }: Settings): Promise<string> {
  const { stdin, stderr } = process
  const shown = { typed: true }
  // What is typed goes through here; the key is not shown.
  const output = new Writable({
    write: (chunk: Buffer, _, done) => void (shown.typed ? stderr.write(chunk, () => done()) : done()),
  })
  const asking = createInterface({ input: stdin, output, terminal: stdin.isTTY })
  const lines = asking[Symbol.asyncIterator]()
  const ask = async (question: string): Promise<string> => {
    stderr.write(question)
    const { value } = (await lines.next()) as { value: string | undefined }
    return (value ?? '').trim()
  }
  try {
    const address = await ask(`Address of the proxy [${proxyUrl.href}]: `)
    shown.typed = false
    const text = await ask(`Key${key === undefined ? '' : ' [unchanged]'}: `)
    stderr.write('\n')
    const settings = { proxyUrl: address === '' ? proxyUrl.href : address, token: text === '' ? key : text }
    // What cannot be is refused before it is written.
    readSettings([], {}, JSON.stringify(settings))
    // Whole or not at all, and never readable by others for a moment.
    const draft = `${file}.${process.pid}`
    await writeFile(draft, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(draft, file)
    return `Written to ${file}, which only you can read. \`uru-mcp --test\` tests it.\n`
  } finally {
    asking.close()
  }
}
