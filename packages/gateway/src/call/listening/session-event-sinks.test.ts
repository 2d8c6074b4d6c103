import type { ConnectionId } from '@toolway/contract'
import type { Message, Notification } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { createVault } from '../../vault/vault.ts'
import type { Hearing } from '../../upstreams/upstream.ts'
import type { Session } from '../../sessions/sessions.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { hearSession } from './session-event-sinks.ts'
import { createTaskBook } from '../tasks/task-book.ts'
import { ANYWHERE } from '../tasks/task-ledger.ts'

const target = { connectionId: 'con_a' as ConnectionId, alias: 'a', revision: '2025-11-25' as const, name: '' }

/** The messages that reach the client when a server notifies its session. */
async function heard(
  notifications: readonly Notification[],
  revision: '2025-11-25' | '2026-07-28' = '2025-11-25',
  logLevel?: string,
) {
  const tasks = createTaskBook(createVault(Buffer.alloc(32, 1)))
  tasks.ledger.hand('ada', target, 'own', ANYWHERE)
  tasks.ledger.hand('bob', target, 'bobs', ANYWHERE)
  const got: Message[] = []
  const session = {
    id: 's',
    caller: { logLevel },
    watched: new Map(),
    eventSink: new Map(),
    ended: new AbortController(),
    say: (message: Message) => void got.push(message),
  }
  const now = {
    toolListing: {
      offered: [target],
      exposeUri: (alias: string, uri: string) => `${alias}:${uri}`,
      resource: (uri: string) => (uri.includes('hidden') ? undefined : target),
    },
    upstream: () => ({
      listen: ({ onNotification }: Hearing) => {
        for (const notification of notifications) onNotification(notification)
        return Promise.resolve({ uris: [], tasks: [] })
      },
    }),
  }
  const requestContext = { principal: { id: 'ada' }, ...now, now: () => now }
  const parts = { tasks, credentials: undefined }
  await hearSession(parts, requestContext as unknown as RequestContext, session as unknown as Session, {
    ...target,
    revision,
  })
  return { got, own: tasks.bind('ada', target, 'own') }
}

const say = (method: string, params: Record<string, never> | Record<string, string>): Notification => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  params,
})

describe('what a server says to a session', () => {
  test('of a task is passed where the task is its own, under the name that it knows', async () => {
    const { got, own } = await heard([
      say('tasks/status', { taskId: 'bobs', status: 'completed' }),
      say('tasks/status', { taskId: 'nobodys', status: 'completed' }),
      say('tasks/status', { taskId: 'own', status: 'completed' }),
    ])
    expect(got).toMatchObject([{ method: 'notifications/tasks/status', params: { taskId: own, status: 'completed' } }])
  })

  test('of a page that is done with is passed, of a legacy server', async () => {
    const done = say('elicitation/complete', { elicitationId: 'e' })
    expect((await heard([done])).got).toEqual([done])
    expect((await heard([done], '2026-07-28')).got).toEqual([])
  })

  test('of a resource is passed under the address that it knows', async () => {
    const updates = ['docs://hidden', 'docs://a'].map((uri) => say('resources/updated', { uri }))
    const { got } = await heard(updates)
    expect(got).toMatchObject([{ params: { uri: 'a:docs://a' } }])
  })

  test('in a log line is passed from the level that it set', async () => {
    const [quiet, loud] = ['info', 'error'].map((level) => say('message', { level, data: 'a line' }))
    expect(
      (
        await heard(
          [quiet, loud].filter((one) => one !== undefined),
          '2025-11-25',
          'warning',
        )
      ).got,
    ).toEqual([loud])
  })

  test('of anything else belongs to nobody in particular', async () => {
    const others = [say('progress', { progressToken: 'p1' }), say('tasks/status', {})]
    expect((await heard(others)).got).toEqual([])
  })
})
