import { expect, test } from 'vitest'
import { createLogs } from './log.ts'
import { createLogTail } from './log-tail.ts'

const lineOf = (facts: object) => JSON.stringify({ level: 'info', message: 'm', timestamp: 't', ...facts })

test('the last thousand lines are kept, the oldest first, however many there were', () => {
  const tail = createLogTail()
  for (let n = 0; n < 2_345; n++) tail.push(lineOf({ n }))
  const kept = tail.recent().map((line) => (JSON.parse(line) as { n: number }).n)
  expect(kept).toEqual(Array.from({ length: 1_000 }, (_, at) => at + 1_345))
})

test('a line that is longer than a line may be is kept by what every line has', () => {
  const tail = createLogTail()
  tail.push(lineOf({ text: 'x'.repeat(20_000) }))
  expect(JSON.parse(tail.recent()[0] ?? '')).toEqual({ level: 'info', message: 'm', timestamp: 't', shortened: 20_056 })
})

test('who follows hears each line once, and nothing after it left', () => {
  const tail = createLogTail()
  const heard: string[] = []
  tail.push('before')
  const leave = tail.follow((line) => heard.push(line))
  tail.push('now')
  leave()
  tail.push('after')
  expect(heard).toEqual(['now'])
})

test('what the log masks is masked in what is kept of it, and quieter levels are not kept', () => {
  const { log, line, tail } = createLogs('warn')
  log.info({ a: 1 }, 'quiet')
  line('{"a":1}')
  log.warn(
    { authorization: 'Bearer s3cret', wire: { headers: { authorization: 's3cret' } }, token: 's3cret', a: 1 },
    'loud',
  )
  expect(tail.recent()).toHaveLength(1)
  expect(tail.recent()[0]).toContain('"a":1')
  expect(tail.recent()[0]).not.toContain('s3cret')
})
