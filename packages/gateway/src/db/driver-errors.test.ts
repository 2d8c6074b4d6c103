import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { unreachableOf } from './driver-errors.ts'

function said(code: string, routine?: string): pg.DatabaseError {
  const error = new pg.DatabaseError('what PostgreSQL says of gateway@10.0.0.7', 10, 'error')
  return Object.assign(error, { code, routine, detail: 'Failing row contains (secret)' })
}

describe('what PostgreSQL says about itself', () => {
  test.each([
    ['08006', 'it does not respond'],
    ['28P01', 'it refuses the gateway’s sign-in'],
    ['3D000', 'it does not exist'],
    ['25006', 'it is read-only'],
    ['42501', 'the gateway lacks permissions in it'],
    ['53100', 'its disk is full'],
    ['53300', 'it accepts no more connections'],
    ['53400', 'it lacks resources'],
    ['57P01', 'it does not respond'],
    ['58030', 'its disk does not work'],
  ])('%s is told as "%s", without its own words', (code, problem) => {
    const fault = unreachableOf(said(code), 'nothing')
    expect(fault).toMatchObject({ code: 'database.unavailable', facts: { problem }, outcome: 'nothing' })
    expect(fault?.message).not.toContain('10.0.0.7')
    expect(fault?.cause).not.toHaveProperty('detail')
  })

  test('leaves what a statement did wrong to whoever wrote it', () => {
    expect(unreachableOf(said('23505'), 'nothing')).toBeUndefined()
    expect(unreachableOf(said('42501', 'ExecWithCheckOptions'), 'nothing')).toBeUndefined()
    expect(unreachableOf(said('42501', 'exec_stmt_raise'), 'nothing')).toBeUndefined()
    expect(unreachableOf(new TypeError('undefined is not a function'), 'nothing')).toBeUndefined()
  })

  test('of a commit is final where it refuses, and open where it breaks off', () => {
    expect(unreachableOf(said('53100'), 'unknown')).toMatchObject({ code: 'database.unavailable' })
    expect(unreachableOf(new Error('Connection terminated unexpectedly'), 'unknown')).toMatchObject({
      code: 'database.interrupted',
      row: { retry: false },
    })
  })
})
