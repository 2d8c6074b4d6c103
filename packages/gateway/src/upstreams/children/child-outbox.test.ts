import { describe, expect, test } from 'vitest'
import { createOutbox, OUTBOX_EASE, OUTBOX_LIMIT } from './child-outbox.ts'
import { ChildError } from './child-error.ts'
import { weightOf } from './frame.ts'

function outbox() {
  const written: string[] = []
  return { written, ...createOutbox({ name: 'x', write: (line) => void written.push(line) }) }
}

describe('lines to a child', () => {
  test('leave at once; their sender waits while more than a MiB is not taken', async () => {
    const box = outbox()
    await box.send('small')
    const big = 'x'.repeat(OUTBOX_EASE)
    let free = false
    const sent = box.send(big).then(() => (free = true))
    expect(box.written).toEqual(['small\n', `${big}\n`])
    await new Promise((done) => setImmediate(done))
    expect(free).toBe(false)
    box.taken(weightOf(big.length + 1))
    await sent
  })

  test('are refused when 16 MiB wait, tiny ones counted with what they cost', async () => {
    const box = outbox()
    let refused = 0
    const count = () => (refused += 1)
    const tiny = Math.floor(OUTBOX_LIMIT / weightOf(1))
    const sends = Array.from({ length: tiny + 5 }, () => box.send('').catch(count))
    await new Promise((done) => setImmediate(done))
    expect(refused).toBe(5)
    expect(box.written).toHaveLength(tiny)
    box.taken(tiny * weightOf(1))
    await Promise.all(sends)
  })

  test('that wait when it ends are told why', async () => {
    const box = outbox()
    const waiting = box.send('x'.repeat(2 * OUTBOX_EASE))
    box.end(new ChildError('CHILD_ENDED', 'gone'))
    await expect(waiting).rejects.toMatchObject({ code: 'CHILD_ENDED' })
    await expect(box.send('more')).rejects.toMatchObject({ code: 'CHILD_ENDED' })
  })
})
