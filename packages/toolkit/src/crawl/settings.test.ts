import { expect, test } from 'vitest'
import { readSettings } from '../settings.ts'
import { DEFAULTS, readCrawlSettings } from './settings.ts'

test('nothing private is reached and robots.txt is followed unless the start says otherwise', () => {
  expect(readCrawlSettings({})).toMatchObject({ allowPrivate: false, robots: 'obey', concurrency: 8, perHost: 2 })
  expect(readCrawlSettings({ TOOLWAY_CRAWL_TIMEOUT: '', UNKNOWN: 'x' })).toEqual(DEFAULTS)
  expect(readCrawlSettings({ TOOLWAY_CRAWL_TIMEOUT: '5' })).toMatchObject({ pageTimeout: 5_000, bodyTimeout: 5_000 })
})

test('options take the place of variables', () => {
  const words = ['--allow-private', '--robots', 'ignore', '--user-agent', 'Bot/1.0', '--crawl-concurrency', '4']
  const { environment } = readSettings(words, { TOOLWAY_CRAWL_ROBOTS: 'obey', TOOLWAY_CRAWL_PER_HOST: '1' })
  const said = { allowPrivate: true, robots: 'ignore', userAgent: 'Bot/1.0', concurrency: 4, perHost: 1 }
  expect(readCrawlSettings(environment)).toMatchObject(said)
})

test('a setting that does not fit stops the start and is named', () => {
  for (const [name, value] of [
    ['TOOLWAY_CRAWL_ROBOTS', 'sometimes'],
    ['TOOLWAY_CRAWL_CONCURRENCY', '0'],
    ['TOOLWAY_CRAWL_ALLOW_PRIVATE', 'perhaps'],
    ['TOOLWAY_CRAWL_MAX_BYTES', '1e12'],
    ['TOOLWAY_CRAWL_USER_AGENT', 'bot\r\nx-header: 1'],
  ] as const)
    expect(() => readCrawlSettings({ [name]: value }), name).toThrow(name)
})
