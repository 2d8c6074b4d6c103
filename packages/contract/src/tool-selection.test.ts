import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ALL_TOOLS as ALL,
  dropConnection,
  dropTools as drop,
  NO_TOOLS as NONE,
  selects,
  takeConnection,
  takeTools as take,
  type SelectedTools as Selected,
} from './tool-selection.ts'

const tool = (alias: string, name: string) => ({ alias, rule_name: `${alias}__${name}` })
const known = ['a', 'b', 'c'].flatMap((alias) => ['read', 'write', 'delete'].map((name) => tool(alias, name)))
const find = (name: string) => known.filter(({ rule_name: own }) => own === name)
const chosen = (selected: Selected) => known.filter(selects(selected)).map(({ rule_name: name }) => name)

test('a tool that is left out of everything is excluded by name, and comes back without a trace', () => {
  const without = drop(ALL, find('a__read'))
  expect(without).toEqual({ include: ['*'], exclude: ['a__read'] })
  expect(take(without, find('a__read'), known)).toEqual(ALL)
})

test('a tool is taken by name, also where a pattern kept it out', () => {
  expect(take(NONE, find('b__write'), known)).toEqual({ include: ['b__write'], exclude: [] })
  const next = take({ include: ['*'], exclude: ['*__delete'] }, find('a__delete'), known)
  expect(next).toEqual({ include: ['*'], exclude: ['b__delete', 'c__delete'] })
})

test('a connection is taken and left out by one pattern', () => {
  expect(takeConnection(NONE, 'a', known)).toEqual({ include: ['a__*'], exclude: [] })
  expect(dropConnection(ALL, 'a', known)).toEqual({ include: ['*'], exclude: ['a__*'] })
  expect(takeConnection({ include: ['*'], exclude: ['a__*', 'b__read'] }, 'a', known)).toEqual({
    include: ['*'],
    exclude: ['b__read'],
  })
})

test('a list of connections becomes patterns where a tool of another one is taken', () => {
  const next = take({ connections: ['a', 'b'], include: ['*'], exclude: [] }, find('c__read'), known)
  expect(next).toEqual({ include: ['a__*', 'b__*', 'c__read'], exclude: [] })
  expect(drop({ connections: ['a'], include: ['*'], exclude: [] }, find('a__read')).connections).toEqual(['a'])
})

test('whatever was said, exactly the tools that are meant change', () => {
  const pattern = fc.constantFrom('*', 'a__*', 'b__*', '*__read', '*__w*', 'a__read', 'c__delete')
  const patterns = fc.uniqueArray(pattern, { maxLength: 4 })
  const connections = fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }), { nil: undefined })
  const tools = fc.subarray(known, { minLength: 1 })
  fc.assert(
    fc.property(patterns, patterns, connections, tools, fc.boolean(), (include, exclude, of, wanted, on) => {
      const before: Selected = { include, exclude, ...(of === undefined ? {} : { connections: of }) }
      const after = on ? take(before, wanted, known) : drop(before, wanted)
      const names = new Set(wanted.map(({ rule_name: name }) => name))
      const others = (selected: Selected) => chosen(selected).filter((name) => !names.has(name))
      expect(others(after)).toEqual(others(before))
      expect(chosen(after).filter((name) => names.has(name))).toHaveLength(on ? names.size : 0)
    }),
  )
})
