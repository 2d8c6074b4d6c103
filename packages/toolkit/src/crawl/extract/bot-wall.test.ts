import { expect, test } from 'vitest'
import { visibleText, wallOf } from './bot-wall.ts'

const problem = (title: string, text: string) => wallOf(title, text, text.split(' ').length)

test('a short page that tests for robots is no content', () => {
  for (const [title, text] of [
    ['Just a moment...', 'example.com needs to review the security of your connection before proceeding.'],
    ['', 'Please verify you are a human. Complete the CAPTCHA below.'],
    ['Access denied', 'You do not have permission to view this page. Reference #18.2f'],
    ['', 'Our systems have detected unusual traffic from your computer network.'],
    ['Pardon Our Interruption', 'As you were browsing something about your browser made us think you were a bot.'],
    ['Attention Required! | Cloudflare', 'Sorry, you have been blocked'],
  ] as const)
    expect(problem(title, text), text).toMatch(/bot check/)
})

test('a page that wants scripts is told as such', () => {
  expect(problem('App', 'You need to enable JavaScript to run this app.')).toMatch(/runs scripts/)
})

test('an article about such pages is content', () => {
  const article = `A captcha asks people to verify you are human. ${'This article explains the history of such tests. '.repeat(40)}`
  expect(problem('How captchas work', article)).toBeUndefined()
  expect(problem('Weather', 'Sunny in the morning, rain in the evening, and wind from the west.')).toBeUndefined()
})

test('the visible text of a page is free of tags, scripts and styles', () => {
  const page = '<title>Stop</title><script>a < b</script><STYLE>p{}</STYLE ><p class=x>You are <b>blocked</b></p>'
  expect(visibleText(page).split(/\s+/).filter(Boolean)).toEqual(['Stop', 'You', 'are', 'blocked'])
  expect(visibleText('before <script>never closed').trim()).toBe('before')
})

test('hostile markup costs no more than its length', () => {
  for (const part of ['<', '<script ', '<style>', '</script', '<script></script>', '<!--'])
    expect(visibleText(part.repeat(2_000_000 / part.length)).trim().length, part).toBe(0)
})
