import type { KeptRule } from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { texts } from '../../texts/texts.ts'
import { draftOf, inState, nameFor, newDraft, tidy, withAction } from './draft.ts'
import { sentenceOf } from './sentence.ts'

const blank = { tools: '', action: undefined, argument: '', scope: undefined, of: '' } as const
const say = (draft: Parameters<typeof sentenceOf>[0]) => sentenceOf(draft, texts)

test('an address that names tools, action and argument begins such a rule', () => {
  const draft = newDraft({ ...blank, tools: 'docs__search, docs__list', action: 'lock', argument: 'region' })
  expect(draft.match.tools).toEqual(['docs__search', 'docs__list'])
  expect(draft.parameters).toMatchObject({ parameter: 'region', as: 'fixed' })
  expect(withAction(draft, 'clamp').parameters).toEqual({ parameter: 'region' })
  expect(nameFor(draft)).toBe('lock-docs-search')
})

test('what is empty is not said, and what is false, nought or nothing is', () => {
  expect(tidy({ a: '', b: [], c: { d: undefined }, e: false, f: 0, g: null, value: '' })).toEqual({
    value: '',
    e: false,
    f: 0,
    g: null,
  })
  const draft = { ...newDraft(blank), match: { tools: ['*'], when: '' }, name: 'one', reason: 'Because' }
  expect(inState(draft, 'shadow')).toEqual({
    ...{ name: 'one', reason: 'Because', action: 'block', state: 'shadow', scope: 'organization' },
    ...{ match: { tools: ['*'] }, parameters: {} },
  })
})

test.each([
  [newDraft(blank), 'In this organization, all tools: not listed, and calls are refused with your reason.'],
  [
    newDraft({ ...blank, tools: 'pay__*', action: 'approve', scope: 'connection', of: 'pay' }),
    'On the connection pay, tools named pay__*: calls wait for approval by an administrator of the organization.',
  ],
  [
    {
      ...newDraft({ ...blank, action: 'clamp', argument: 'limit' }),
      parameters: { parameter: 'limit', max: 50, default: 20 },
    },
    'In this organization, all tools: the argument limit is adjusted, if necessary, to be at most 50 and is 20 by default.',
  ],
  [
    { ...newDraft({ ...blank, action: 'rate' }), match: { effects: ['write', 'destructive'], when: 'args.all' } },
    'In this organization, all tools that write or are destructive if args.all: at most 60 calls in a minute for each caller.',
  ],
  [
    {
      ...newDraft({ ...blank, action: 'reject' }),
      parameters: { parameter: 'to', in: ['a', 'b'], pattern: '.+@acme' },
    },
    'In this organization, all tools: calls are refused unless to is "a" or "b" and a value that matches .+@acme.',
  ],
])('the sentence of a rule: %#', (draft, sentence) => {
  expect(say(draft)).toBe(sentence)
})

test('a rule that is kept is written on as it is', () => {
  const kept: KeptRule = {
    id: 'rul_1',
    scope: 'toolset',
    of: 'work',
    name: 'one',
    match: { tools: ['a'] },
    action: 'warn',
    parameters: {},
    reason: 'r',
    state: 'on',
    origin: 'administration',
    created_by: null,
    created_at: null,
    updated_at: null,
    problem: null,
  }
  expect(inState(draftOf(kept), 'on')).toMatchObject({ scope: 'toolset', of: 'work', match: { tools: ['a'] } })
})
