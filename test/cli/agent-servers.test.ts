/** One agent, many servers: a configuration names local ones and remote ones, real ones and stand-ins, and one client uses them all. */
// @module-tag long
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { expect, test } from 'vitest'
import { connectClient, KINDS } from '../e2e/peers/clients/client.ts'
import { probeProcess, processOf, startEverythingOverHttp } from '../e2e/peers/servers/real-servers.ts'
import { makeInstallation } from './installation.ts'

const KEY = `uru_${'a'.repeat(64)}`
const STAND_INS = ['edgartools', 'video_audio', 'youtube', 'zai_vision']
const textOf = ({ content }: { content: readonly { text?: string }[] }) => content[0]?.text

test(
  'serves one agent with five servers on stdio and with one over HTTP, all named in one configuration',
  { timeout: 300_000 },
  async () => {
    await using here = await makeInstallation()
    await using remote = await startEverythingOverHttp()
    const workspace = join(here.folder, 'workspace')
    await mkdir(workspace)
    const started = ({ command, args }: { command: string; args: string[] }) => ({ command, args })
    const connections = {
      local_toolkit: started(processOf('filesystem', [workspace])),
      composio: { url: remote.url },
      ...Object.fromEntries(STAND_INS.map((name) => [name, started(probeProcess(name))])),
    }
    const file = join(here.folder, 'toolway.yaml')
    await writeFile(file, stringify({ connections, keys: { agent: { value: KEY } } }))
    const { address, stop } = await here.start({ TOOLWAY_CONFIG: file, TOOLWAY_DEMO: 'off' })

    const answered = new Set<string>()
    for (const kind of KINDS) {
      await using agent = await connectClient({ kind, url: `${address}/mcp`, key: KEY })
      await expect
        .poll(async () => new Set((await agent.tools()).map(({ name }) => name.split('__')[0])))
        .toEqual(new Set(Object.keys(connections)))
      const path = join(workspace, `${kind}.txt`)
      await agent.call('local_toolkit__write_file', { path, content: `written by ${kind}` })
      expect(await readFile(path, 'utf8')).toBe(`written by ${kind}`)
      expect(textOf(await agent.call('composio__echo', { message: kind }))).toBe(`Echo: ${kind}`)
      for (const name of STAND_INS) answered.add(`${name} ${textOf(await agent.call(`${name}__process`))}`)
    }
    // Four programs, each of them the same for every client.
    expect([...answered]).toEqual(STAND_INS.map((name) => expect.stringMatching(new RegExp(`^${name} \\d+$`))))
    expect(new Set([...answered].map((text) => text.split(' ')[1])).size).toBe(STAND_INS.length)
    expect(await stop()).toBe(0)
  },
)
