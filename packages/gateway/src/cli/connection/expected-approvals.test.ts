import { expect, test } from 'vitest'
import { approvalLines } from './expected-approvals.ts'

const forecast = { alias: 'docs', tools: 9, asking: 7, marked: 5, asking_if_trusted: 2, trusted: false }

test.each([
  [
    'some tools ask, and the server marks some read-only',
    {},
    [
      '7 of the 9 tools of docs ask for an approval before a call, as rules stand. Its server marks 5 of them read-only, which does not count until you trust it.',
      '`toolway lock trust docs` trusts what the server says about its tools. 2 of its tools still ask then.',
    ],
  ],
  [
    'all ask, and none does once the server is trusted',
    { tools: 7, marked: 7, asking_if_trusted: 0 },
    [
      'All 7 tools of docs ask for an approval before a call, as rules stand. Its server marks 7 of them read-only, which does not count until you trust it.',
      '`toolway lock trust docs` trusts what the server says about its tools. None of its tools asks then.',
    ],
  ],
  [
    'the server marks nothing',
    { tools: 1, asking: 1, marked: 0 },
    [
      'The only tool of docs asks for an approval before a call, as rules stand. Its server marks none read-only; `toolway lock effect docs TOOL read` marks one.',
    ],
  ],
  [
    'the server is trusted already',
    { asking: 1, marked: 0, trusted: true },
    ['1 of the 9 tools of docs asks for an approval before a call, as rules stand.'],
  ],
  ['no tool asks', { asking: 0, marked: 0 }, []],
])('where %s, these lines are printed', (_, change, lines) => {
  expect(approvalLines({ ...forecast, ...change })).toEqual(lines)
})
