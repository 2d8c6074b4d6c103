import type { ConnectionId } from '@toolway/contract'
import type { Message, Notification } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { createVault } from '../vault/vault.ts'
import type { Session, Standing } from './ports.ts'
import { hearSession } from './session-ears.ts'
import { createTaskBook } from './task-book.ts'
import { ANYWHERE } from './task-ledger.ts'

const target = { connectionId: 'con_a' as ConnectionId, alias: 'a', revision: '2025-11-25' as const, name: '' }

/** What reaches the client of what a server says to its session. */
async function heard(notifications: readonly Notification[], revision: '2025-11-25' | '2026-07-28' = '2025-11-25') {
  const tasks = createTaskBook(createVault(Buffer.alloc(32, 1)))
  tasks.ledger.hand('ada', target, 'own', ANYWHERE)
  tasks.ledger.hand('bob', target, 'bobs', ANYWHERE)
  const got: Message[] = []
  const session = { id: 's', watched: new Map(), say: (message: Message) => void got.push(message) }
  const standing = {
    principal: { id: 'ada' },
    tasks,
    view: { exposeUri: (alias: string, uri: string) => `${alias}:${uri}` },
    upstream: () => ({
      hear: (_: unknown, __: unknown, hear: (notification: Notification) => void) => {
        for (const notification of notifications) hear(notification)
        return Promise.resolve()
      },
    }),
  }
  await hearSession(standing as unknown as Standing, session as unknown as Session, { ...target, revision })
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
    const { got } = await heard([say('resources/updated', { uri: 'docs://a' })])
    expect(got).toMatchObject([{ params: { uri: 'a:docs://a' } }])
  })

  test('of anything else belongs to nobody in particular', async () => {
    const others = [
      say('message', { data: 'secret' }),
      say('progress', { progressToken: 'p1' }),
      say('tasks/status', {}),
    ]
    expect((await heard(others)).got).toEqual([])
  })
})
