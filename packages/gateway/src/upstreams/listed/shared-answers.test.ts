import type { Json } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { createSharedAnswers } from './shared-answers.ts'

/** Two gateways in front of one cache, each with a clock of its own. */
function stage() {
  const kept = new Map<string, string>()
  const texts = {
    load: (name: string) => Promise.resolve(kept.get(name)),
    keep: (name: string, text: string) => void kept.set(name, text),
  }
  const asked: string[] = []
  const gateway = (name: string, { clock = { now: 1_000 }, scope = ['here'], isShared = true } = {}) => {
    const answers = createSharedAnswers({
      texts: isShared ? texts : undefined,
      scope,
      now: () => clock.now,
      parse: (text) => JSON.parse(text) as Json,
    })
    const ages: number[] = []
    const ask = (fresh = false, what = 'contracts', answer: Json = { from: name }) =>
      answers({
        ...{ name: [what], keptFor: 300, fresh, aged: (age: number) => void ages.push(age) },
        fetch() {
          asked.push(name)
          return Promise.resolve(answer)
        },
      })
    return { ask, ages }
  }
  return { gateway, asked, kept }
}

describe('answers that gateways share', () => {
  test('are fetched once, and used with the age that they have', async () => {
    const { gateway, asked } = stage()
    const [one, other] = [gateway('one'), gateway('other', { clock: { now: 1_200 } })]
    expect(await one.ask()).toEqual({ from: 'one' })
    expect(await other.ask()).toEqual({ from: 'one' })
    expect([asked, one.ages, other.ages]).toEqual([['one'], [], [200]])
  })

  test('have no age below nothing or over their time, whatever the clocks say', async () => {
    const { gateway } = stage()
    await gateway('one').ask()
    const [early, late] = [gateway('early', { clock: { now: 5 } }), gateway('late', { clock: { now: 9_000 } })]
    await early.ask()
    await late.ask()
    expect([early.ages, late.ages]).toEqual([[0], [300]])
  })

  test('are fetched anew for somebody who wants to see what changed, and the others have that then', async () => {
    const { gateway, asked } = stage()
    await gateway('one').ask()
    await gateway('other').ask(true)
    expect(await gateway('third').ask()).toEqual({ from: 'other' })
    expect(asked).toEqual(['one', 'other'])
  })

  test('are kept apart by backend and by question', async () => {
    const { gateway, asked } = stage()
    await gateway('one').ask()
    await gateway('elsewhere', { scope: ['there'] }).ask()
    await gateway('one').ask(false, 'facets')
    expect(asked).toEqual(['one', 'elsewhere', 'one'])
  })

  test.each(['no json', '{"at":1}', '{"at":"x","text":"{}"}', '{"at":1,"text":"no json"}'])(
    'that are damaged (%s) are fetched',
    async (text) => {
      const { gateway, asked, kept } = stage()
      await gateway('one').ask()
      for (const key of kept.keys()) kept.set(key, text)
      const other = createSharedAnswers({
        texts: { load: (name) => Promise.resolve(kept.get(name)), keep() {} },
        scope: ['here'],
        now: () => 1_000,
        parse(said) {
          try {
            return JSON.parse(said) as Json
          } catch {
            return undefined
          }
        },
      })
      const answer = await other({
        ...{ name: ['contracts'], keptFor: 300, fresh: false, aged() {} },
        fetch: () => Promise.resolve('fetched'),
      })
      expect([answer, asked]).toEqual(['fetched', ['one']])
    },
  )

  test('are not shared where there is no cache, nor where they are large', async () => {
    const { gateway, asked, kept } = stage()
    await gateway('one', { isShared: false }).ask()
    await gateway('other').ask(false, 'large', 'x'.repeat(5_000_000))
    expect([asked, kept.size]).toEqual([['one', 'other'], 0])
  })
})
