/** Which runtime serves a connection that is described in the source system's words: the registry of native connectors, or processes. */
import { CONNECTORS } from '@toolway/connectors'
import { NewConnection } from '@toolway/contract/admin'
import { MODERN } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { kindFor, partsOf } from '../../kinds/kinds.ts'
import { NO_EXCEPTIONS } from '../../upstreams/http/exceptions.ts'
import { createUpstreams } from '../../upstreams/upstreams.ts'
import { ownAsk } from '../../upstreams/gateway-request.ts'
import { connectorOf, describe as describeWords } from './describe-connection.ts'

/** Opens what is described and asks it for its tools. Processes that are started for it are noted, and fail. */
async function route(words: object) {
  const started: { command: string; args: readonly string[] }[] = []
  const upstreams = createUpstreams({
    children: {
      start({ command, args }) {
        started.push({ command, args })
        return Promise.reject(new Error('nothing runs here'))
      },
    },
    onRevision() {},
    onNoise() {},
  })
  const said = NewConnection.parse({ name: 'x', ...words })
  const connector = connectorOf(said)
  const parts = partsOf(describeWords(connector, said, undefined).words)
  const opening = {
    ...parts,
    reach: { connectionId: 'con_x', alias: 'x', timeout: 5, revision: undefined, pinned: false },
    ...{ organization: 'acme', trusted: false, exceptions: NO_EXCEPTIONS },
    document: () => Promise.reject(new Error('no document')),
  }
  const upstream = upstreams.open('con_x', '1', 'x', (context) => kindFor(connector).open(opening, context))
  const answer = await upstream.ask(ownAsk('tools/list', {}, MODERN, new AbortController().signal)).catch(String)
  await upstreams.close()
  const tools = typeof answer === 'object' && 'result' in answer ? answer.result['tools'] : undefined
  return { started, tools: Array.isArray(tools) ? tools.map((tool) => (tool as { name: string }).name) : undefined }
}

describe('S3-EXT-02: a connection is served', () => {
  test.each(Object.keys(CONNECTORS))('by the registry where its runtime is native: %s', async (vendor) => {
    const registered = [...((await CONNECTORS[vendor]?.load())?.tools.keys() ?? [])]
    expect(registered).not.toHaveLength(0)
    for (const runtime of [{ runtime_type: 'native' }, {}]) {
      const { started, tools } = await route({ connector_type: vendor, ...runtime })
      expect(tools?.toSorted()).toEqual(registered.toSorted())
      expect(started).toEqual([])
    }
  })

  test.each([
    ['external_python', 'uvx', []],
    ['external_nodejs', 'npx', ['-y']],
    ['external_go', undefined, []],
    ['external_custom', undefined, []],
  ])('by a process where its runtime is %s, whatever its type', async (runtime, runner, words) => {
    for (const type of ['custom', 'github']) {
      const { started, tools } = await route({
        connector_type: type,
        runtime_type: runtime,
        package_path: '/opt/server',
      })
      const [command, ...args] = runner === undefined ? ['/opt/server'] : [runner, ...words, '/opt/server']
      expect(started[0]).toEqual({ command, args })
      expect(tools).toBeUndefined()
    }
  })
})
