/** An upstream made of answers, for those who ask one: no process, no socket, and a note of what was asked. */
import { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import type { Answer, Ask, ListKind, ServerInfo, Upstream } from '../upstreams/upstream.ts'

export interface FakeUpstream extends Upstream {
  readonly asked: Ask[]
  /** Sends a change notification of the server to all watchers. */
  announce(kind: ListKind, missed?: boolean): void
  readonly watchers: number
}

export interface FakeUpstreamParts {
  readonly serverInfo?: Partial<ServerInfo>
  /** The answer to each ask; throws what an upstream would throw. */
  answer?(ask: Ask): Answer | Promise<Answer>
}

export const serverInfoOf = (capabilities: JsonObject = { tools: {} }): ServerInfo => ({
  revision: '2025-11-25',
  server: { name: 'fake', version: '1' },
  capabilities,
  instructions: undefined,
})

export function createFakeUpstream({ serverInfo, answer }: FakeUpstreamParts = {}): FakeUpstream {
  const asked: Ask[] = []
  const watchers = new Set<(kind: ListKind, missed: boolean) => void>()
  return {
    asked,
    introduce: () => Promise.resolve({ ...serverInfoOf(), ...serverInfo }),
    async ask(ask) {
      asked.push(ask)
      if (answer === undefined) throw new Fault('upstream.lost', { connection: 'fake' })
      return answer(ask)
    },
    watch(onChange, signal) {
      watchers.add(onChange)
      signal.addEventListener('abort', () => watchers.delete(onChange), { once: true })
    },
    announce: (kind, missed = false) => watchers.forEach((tell) => tell(kind, missed)),
    get watchers() {
      return watchers.size
    },
    listen: ({ uris, tasks }) => Promise.resolve({ uris, tasks }),
    tell() {},
    check: () => Promise.resolve(true),
    doubt() {},
    forget() {},
    close: () => Promise.resolve(),
  }
}
