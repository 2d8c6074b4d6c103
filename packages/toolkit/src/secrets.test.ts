import { expect, test } from 'vitest'
import { createHiding } from './secrets.ts'

test('a key stands in no answer, wherever it is in it', () => {
  const hide = createHiding({ COMPOSIO_API_KEY: 'ak_"0123456\\', TOOLWAY_KEY: 'uru_abcdefgh', HOME: '/home/ada/long' })
  const answer = {
    text: 'Bad key uru_abcdefgh.',
    fault: { data: [{ given: 'ak_"0123456\\' }] },
    home: '/home/ada/long',
  }
  expect(hide(answer)).toEqual({ text: 'Bad key ***.', fault: { data: [{ given: '***' }] }, home: '/home/ada/long' })
  expect(hide('sent uru_abcdefgh')).toBe('sent ***')
})

test('an answer without a key stays as it is, and a word is no key', () => {
  const answer = { text: 'a key' }
  expect(createHiding({ TOOLWAY_KEY: 'uru_abcdefgh' })(answer)).toBe(answer)
  expect(createHiding({ TOOLWAY_KEY: 'key' })(answer)).toBe(answer)
})
