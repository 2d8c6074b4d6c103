import type { UserId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { createAccounts, type AccountRow, type Named } from './accounts.ts'

const id = (name: string) => `usr_${name}` as UserId

const row = (name: string, facts: Partial<AccountRow> = {}): AccountRow => ({
  ...{ id: id(name), email: `${name}@example.com`, active: true, platform_admin: false, epoch: 1 },
  ...{ second_factor: false, must_have_second_factor: false, ...facts },
})

/** Accounts of a database that is a list, and what was read of it. */
function fixture(...rows: AccountRow[]) {
  const table = new Map(rows.map((each) => [each.id, each]))
  const reads: (string | string[])[] = []
  let down = false
  const accounts = createAccounts({
    list: (named: Named) => {
      reads.push(named === undefined ? 'all' : [...named])
      if (down) return Promise.reject(new Error('the database is away'))
      return Promise.resolve([...table.values()].filter((each) => named === undefined || named.has(each.id)))
    },
  })
  return { table, reads, accounts, setDown: (now: boolean) => (down = now) }
}

test('accounts that are named are read alone, and the others stay', async () => {
  const { table, reads, accounts } = fixture(row('ada'), row('bob'))
  await accounts.load()
  table.set(id('ada'), row('ada', { active: false }))
  table.set(id('cid'), row('cid'))
  table.delete(id('bob'))
  expect(await accounts.load([id('ada'), id('cid'), id('bob')])).toBe(true)
  expect(reads).toEqual(['all', [id('ada'), id('cid'), id('bob')]])
  expect(accounts.find(id('ada'))).toBeUndefined()
  expect(accounts.findByEmail('Ada@example.com')?.active).toBe(false)
  expect(accounts.find(id('bob'))).toBeUndefined()
  expect(accounts.findByEmail('bob@example.com')).toBeUndefined()
  expect(accounts.find(id('cid'))?.email).toBe('cid@example.com')
})

test('an address that went from one account to another leads to who has it now', async () => {
  const { table, accounts } = fixture(row('ada'), row('bob'))
  await accounts.load()
  table.set(id('ada'), row('ada', { email: 'bob@example.com' }))
  table.set(id('bob'), row('bob', { email: 'robert@example.com' }))
  await accounts.load([id('ada'), id('bob')])
  expect(accounts.findByEmail('bob@example.com')?.id).toBe(id('ada'))
  expect(accounts.findByEmail('robert@example.com')?.id).toBe(id('bob'))
  expect(accounts.findByEmail('ada@example.com')).toBeUndefined()
})

test('who was not there before has nothing to lose', async () => {
  const { table, accounts } = fixture(row('ada'))
  await accounts.load()
  table.set(id('bob'), row('bob'))
  expect(await accounts.load([id('bob')])).toBe(false)
  expect(await accounts.load([id('bob')])).toBe(true)
})

test('those that are wanted while a load is under way are read together after it', async () => {
  const { reads, accounts } = fixture(row('ada'), row('bob'), row('cid'))
  const first = accounts.load()
  await Promise.resolve()
  await Promise.all([first, accounts.load([id('ada')]), accounts.load([id('bob')]), accounts.load([id('ada')])])
  expect(reads).toEqual(['all', [id('ada'), id('bob')]])
  const next = accounts.load([id('cid')])
  await Promise.all([next, accounts.load(), accounts.load([id('cid')])])
  expect(reads.at(-1)).toBe('all')
})

test('after a load that failed, all accounts are read', async () => {
  const { table, reads, accounts, setDown } = fixture(row('ada'), row('bob'))
  await accounts.load()
  table.set(id('ada'), row('ada', { active: false }))
  setDown(true)
  await expect(accounts.load([id('ada')])).rejects.toThrow('away')
  expect(accounts.find(id('ada'))?.active).toBe(true)
  setDown(false)
  await accounts.load([id('bob')])
  expect(reads).toEqual(['all', [id('ada')], 'all'])
  expect(accounts.find(id('ada'))).toBeUndefined()
})
