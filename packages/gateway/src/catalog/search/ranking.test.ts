import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { createRanking } from './ranking.ts'
import { wordsOf } from './search-words.ts'
import { within } from '../../../../../test/setup/form.ts'

const tool = (alias: string, own: string, definition: JsonObject = {}) => ({
  name: `${alias}__${own}`,
  own,
  alias,
  definition: { name: own, inputSchema: { type: 'object' }, ...definition },
})

describe('words', () => {
  test.each([
    ['listPullRequests', ['list', 'pull', 'request']],
    ['GMAIL_SEND_EMAIL', ['gmail', 'send', 'email']],
    ['getHTTPStatus', ['get', 'http', 'status']],
    ['issues on GitHub', ['issue', 'git', 'hub', 'github']],
    ['What are the open issues of a repository?', ['open', 'issue', 'repository']],
    ['companies, boxes and classes', ['company', 'box', 'class']],
    ['Übersicht der Straßen 東京', ['übersicht', 'der', 'straßen', '東京']],
    ['', []],
  ])('of %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })
})

describe('what is found', () => {
  const ranking = createRanking([
    tool('git', 'create_issue', { description: 'Open an issue.' }),
    tool('git', 'list_issues', { title: 'Issues', description: 'Issues of a repository, newest first.' }),
    tool('mail', 'send_message', {
      description: 'Send it to somebody.',
      inputSchema: { properties: { recipient: {} } },
    }),
    tool('crm', 'find_person', { _meta: { 'dev.toolway/category': 'customers' } }),
  ])

  test('is the best first: a word of the name counts more than one of the description', () => {
    expect(ranking.find('list issues')[0]).toBe('git__list_issues')
    expect(ranking.find('create issue')[0]).toBe('git__create_issue')
  })

  test('may be asked for in other words, by the connection, a parameter, a category, a beginning, or with a slip', () => {
    for (const [query, name] of [
      ['make a ticket', 'git__create_issue'],
      ['mail', 'mail__send_message'],
      ['recipient', 'mail__send_message'],
      ['customer', 'crm__find_person'],
      ['repos', 'git__list_issues'],
      ['recipiant', 'mail__send_message'],
    ] as const)
      expect(ranking.find(query)[0], query).toBe(name)
  })

  test('is nothing where nothing fits, or nothing is asked', () => {
    for (const query of ['zebra', '', 'the of and', '"*" (OR) \\']) expect(ranking.find(query)).toEqual([])
  })
})

test('a search among ten thousand tools, for as many words as may be asked for, does not hold anybody up', () => {
  const many = createRanking(
    Array.from({ length: 10_000 }, (_, at) => tool(`c${at % 50}`, `list_thing_${at}`, { description: 'A thing.' })),
  )
  const begun = performance.now()
  expect(many.find('list thing '.repeat(40)).length).toBeGreaterThan(0)
  // A second is fifty times what it takes.
  expect(performance.now() - begun).toBeLessThan(within(5_000))
})
