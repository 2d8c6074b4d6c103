import { expect, test } from 'vitest'
import { describeEachPostgres } from '../testing/database.ts'
import { addPlatformRule, removePlatformRule } from './stored/platform-rules.ts'
import { addRule, changeRule, listRules, removeRule } from './rules.ts'

const words = { pattern: 'x*', action: 'block' as const, reason: 'No.', connector: null, active: true }

describeEachPostgres('rules', (createDatabase) => {
  test('are kept, changed and removed', async () => {
    await using database = await createDatabase()
    const { db } = database
    const listed = async () => (await db.system(listRules)).map(({ id, action, active }) => [id, action, active])
    const added = await db.system((sql) => addRule(sql, words, 'usr_1'))
    expect(await listed()).toEqual([[added.id, 'block', true]])
    await db.system((sql) => changeRule(sql, added.id, { ...words, action: 'warn', active: false }))
    expect(await listed()).toEqual([[added.id, 'warn', false]])
    expect(await db.system((sql) => changeRule(sql, 'rul_nothing', words))).toBeUndefined()
    expect(await db.system((sql) => removeRule(sql, added.id))).toMatchObject({ id: added.id })
    expect(await db.system((sql) => removeRule(sql, added.id))).toBeUndefined()
  })

  test('that say more than a name and yes or no are not seen in the words of the source system, nor changed by them', async () => {
    await using database = await createDatabase()
    const { db } = database
    const full = { name: 'more', action: 'block', parameters: {}, reason: 'No.', state: 'on' as const }
    const by = { origin: 'administration', createdBy: 'usr_1' }
    for (const match of [{ tools: ['a', 'b'] }, { tools: ['a'], effects: ['write'] }, { tools: ['a'], when: 'true' }]) {
      const row = await db.system((sql) => addPlatformRule(sql, { ...full, match }, by))
      expect(await db.system(listRules)).toEqual([])
      expect(await db.system((sql) => changeRule(sql, row?.id ?? '', words))).toBeUndefined()
      expect(await db.system((sql) => removeRule(sql, row?.id ?? ''))).toBeUndefined()
      await db.system((sql) => removePlatformRule(sql, row?.id ?? ''))
    }
  })

  test('tell every gateway that they changed', async () => {
    await using database = await createDatabase()
    const { db } = database
    const heard: string[] = []
    const listener = await db.listen('toolway_changed', (notice) => {
      if (notice.kind === 'payload') heard.push(notice.payload)
    })
    await db.system((sql) => addRule(sql, words, 'usr_1'))
    await expect.poll(() => heard).toEqual(['{"table" : "rules"}'])
    await listener.close()
  })
})
