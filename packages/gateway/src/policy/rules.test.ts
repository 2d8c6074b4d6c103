import { ANYBODY } from '../catalog/ruled-definition.ts'
import { expect, test } from 'vitest'
import { describeEachPostgres } from '../testing/database.ts'
import { addRule, changeRule, createRules, listRules, removeRule } from './rules.ts'

const words = { pattern: 'x*', action: 'block' as const, reason: 'No.', connector: null, active: true }

describeEachPostgres('rules', (createDatabase) => {
  test('are kept, changed and removed, and asked for from memory', async () => {
    await using database = await createDatabase()
    const { db } = database
    let queries = 0
    const rules = createRules({
      list: () => {
        queries++
        return db.system(listRules)
      },
    })
    const tool = {
      ...{ name: 'x1', joined: 'a__x1', connection: 'a', connector: 'mcp.http', effect: 'read', category: '' },
    }
    const judge = () => rules.policy.of(tool, { organization: 'acme', toolset: '' })?.decide(ANYBODY)
    const added = await db.system((sql) => addRule(sql, words, 'usr_1'))
    expect(judge()).toBeUndefined()
    await rules.load()
    for (let asked = 0; asked < 100; asked++)
      expect(judge()?.rule).toMatchObject({ id: added.id, action: 'block', reason: 'No.' })
    expect(queries).toBe(1)
    await db.system((sql) => changeRule(sql, added.id, { ...words, action: 'warn' }))
    await rules.load()
    expect(judge()?.action).toBe('warn')
    expect(await db.system((sql) => changeRule(sql, 'rul_nothing', words))).toBeUndefined()
    expect(await db.system((sql) => removeRule(sql, added.id))).toMatchObject({ id: added.id })
    expect(await db.system((sql) => removeRule(sql, added.id))).toBeUndefined()
    await rules.load()
    expect(judge()).toBeUndefined()
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
