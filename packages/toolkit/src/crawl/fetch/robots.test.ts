import { expect, test } from 'vitest'
import { readRobots, robotsNameOf } from './robots.ts'

const SITE = new URL('https://example.com/robots.txt')
const NAME = 'toolway-toolkit'
const rulesOf = (text: string, status = 200) =>
  readRobots(SITE, { status, header: () => '', body: Buffer.from(text) }, NAME, 10_000)
const allows = (text: string, path: string, status?: number) =>
  rulesOf(text, status).isAllowed(new URL(path, 'https://example.com'))

test('the group of this crawler counts, and that of all where there is none', () => {
  const own = `User-agent: *\nDisallow: /\n\nUser-agent: Toolway-Toolkit\nDisallow: /private\nAllow: /private/open$\n`
  expect(allows(own, '/page')).toBe(true)
  expect(allows(own, '/private/page')).toBe(false)
  expect(allows(own, '/private/open')).toBe(true)
  expect(allows('User-agent: *\nDisallow: /*.json', '/a.json?x')).toBe(false)
  expect(allows('User-agent: other\nDisallow: /', '/page')).toBe(true)
})

test('a file that is not there allows everything, and one that fails allows nothing', () => {
  for (const status of [401, 404, 410]) expect(allows('', '/page', status)).toBe(true)
  for (const status of [500, 503]) expect(allows('', '/page', status)).toBe(false)
})

test('a Crawl-delay is bounded', () => {
  const delay = (seconds: string) => rulesOf(`User-agent: *\nCrawl-delay: ${seconds}`).delay
  expect(['2', '0.5', '86400', '-5', 'soon'].map(delay)).toEqual([2_000, 500, 10_000, 0, 0])
})

test('a file made of wildcards is not compared, and allows nothing', () => {
  const hostile = `User-agent: *\n${`Disallow: /${'*a'.repeat(500)}\n`.repeat(200)}`
  expect(allows(hostile, `/${'a'.repeat(2_000)}`)).toBe(false)
})

test('the name for robots.txt is that of the User-Agent', () => {
  expect(robotsNameOf('Mozilla/5.0 (compatible; toolway-toolkit/0.1.0)')).toBe('toolway-toolkit')
  expect(robotsNameOf('Mozilla/5.0 (compatible; research-bot; +https://example.com/bot)')).toBe('research-bot')
  expect(robotsNameOf('ResearchBot/2.0')).toBe('ResearchBot')
})
