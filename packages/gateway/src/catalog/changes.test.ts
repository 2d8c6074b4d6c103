import type { ConnectionId, OrganizationId } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { createChanges } from './changes.ts'

const [mine, theirs] = ['org_1', 'org_2'] as OrganizationId[] as [OrganizationId, OrganizationId]
const [files, web] = ['con_1', 'con_2'] as ConnectionId[] as [ConnectionId, ConnectionId]

const listener = (heard: string[], name: string, sees: readonly ConnectionId[] = [files, web]) => ({
  sees: (id: ConnectionId) => sees.includes(id),
  onChange: (kind: string) => void heard.push(`${name} ${kind}`),
})

describe('who listens for changes', () => {
  test('hears of what its endpoint sees, and of nothing else', () => {
    const changes = createChanges()
    const heard: string[] = []
    changes.listen(mine, listener(heard, 'both'))
    changes.listen(mine, listener(heard, 'web only', [web]))
    changes.tell(mine, files, 'tools')
    changes.tell(mine, web, 'prompts')
    expect(heard).toEqual(['both tools', 'both prompts', 'web only prompts'])
  })

  test('never hears of another organization, even for a connection of the same id', () => {
    const changes = createChanges()
    const heard: string[] = []
    changes.listen(mine, listener(heard, 'mine'))
    changes.tell(theirs, files, 'tools')
    expect(heard).toEqual([])
  })

  test('hears no more once it has stopped, and stopping twice stops nobody else', () => {
    const changes = createChanges()
    const heard: string[] = []
    const stop = changes.listen(mine, listener(heard, 'first'))
    stop()
    changes.listen(mine, listener(heard, 'second'))
    stop()
    changes.tell(mine, files, 'resources')
    expect(heard).toEqual(['second resources'])
  })

  test('may stop while it hears, and the others still hear', () => {
    const changes = createChanges()
    const heard: string[] = []
    const stop = changes.listen(mine, {
      sees: () => true,
      onChange(kind) {
        heard.push(`once ${kind}`)
        stop()
      },
    })
    changes.listen(mine, listener(heard, 'after'))
    changes.tell(mine, files, 'tools')
    changes.tell(mine, files, 'tools')
    expect(heard).toEqual(['once tools', 'after tools', 'after tools'])
  })

  test('may be nobody', () => {
    expect(() => createChanges().tell(mine, files, 'tools')).not.toThrow()
  })
})
