import { describe, expect, test } from 'vitest'
import { ToolFailure } from '../kit/failure.ts'
import type { Json, VendorAnswer } from '../kit/tool.ts'
import { adfOf, markdownOf } from './adf.ts'
import { siteOf } from './site.ts'
import { storageOf } from './storage.ts'

const ONE = '11223344-a1b2-4b33-8444-def123456789'
const TWO = '99887766-a1b2-4b33-8444-def123456789'
const site = (id: string, name: string, scope: string) => ({
  id,
  name,
  url: `https://${name}.atlassian.net`,
  scopes: [scope],
})

function found(given: Json, body: unknown) {
  const answer: VendorAnswer = { status: 200, headers: {}, body, at: 0 }
  const run = siteOf('jira').find(given)
  let asked = 0
  try {
    let step = run.next()
    for (; step.done !== true; step = run.next(answer)) asked++
    return { asked, cloudId: step.value['cloudId'] }
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return { asked, word: thrown.failure.word, message: thrown.message }
    throw thrown
  }
}

describe('the site of an account', () => {
  const both = [site(ONE, 'acme', 'read:jira-work'), site(TWO, 'beta', 'read:sprint:jira-software')]

  test('is the cloud id that was given, without a request', () => {
    expect(found({ site: ONE }, [])).toEqual({ asked: 0, cloudId: ONE })
  })

  test('is the only one with the product', () => {
    const wiki = site(TWO, 'beta', 'read:page:confluence')
    expect(found({}, [both[0], { ...both[0], scopes: ['write:jira-work'] }, wiki])).toEqual({ asked: 1, cloudId: ONE })
  })

  test.each(['beta', 'BETA.atlassian.net', 'https://beta.atlassian.net/jira'])('is found by %s', (name) => {
    expect(found({ site: name }, both)).toEqual({ asked: 1, cloudId: TWO })
  })

  test('is asked for where there are several, none or no such one', () => {
    expect(found({}, both)).toMatchObject({ word: 'INVALID_ARGUMENT', message: expect.stringContaining(TWO) })
    expect(found({ site: 'gamma' }, both)).toMatchObject({ word: 'NOT_FOUND' })
    for (const body of [[], {}, null, [{}], [{ id: '../evil' }]])
      expect(found({}, body)).toMatchObject({ word: 'PERMISSION_DENIED' })
  })
})

describe('a document', () => {
  test('is written from plain text', () => {
    expect(adfOf('a\nb\r\n\r\nc\n')).toEqual({
      type: 'doc',
      version: 1,
      content: [
        {
          type: 'paragraph',
          content: [{ type: 'text', text: 'a' }, { type: 'hardBreak' }, { type: 'text', text: 'b' }],
        },
        { type: 'paragraph', content: [{ type: 'text', text: 'c' }] },
      ],
    })
    expect(adfOf('\n')).toEqual({ type: 'doc', version: 1, content: [] })
  })

  test('is read as Markdown', () => {
    const text = (words: string, ...marks: Json[]) => ({ type: 'text', text: words, marks })
    const node = (type: string, content: Json[] = [], attrs: Json = {}) => ({ type, content, attrs })
    const paragraph = (...content: Json[]) => node('paragraph', content)
    const item = (words: string) => node('listItem', [paragraph(text(words))])
    const document = node('doc', [
      node('heading', [text('Steps')], { level: 2 }),
      paragraph(
        text('See '),
        text('here', { type: 'link', attrs: { href: 'https://a.b' } }),
        text('!', { type: 'strong' }),
      ),
      node('bulletList', [item('one'), node('listItem', [paragraph(text('two')), node('orderedList', [item('in')])])]),
      node('codeBlock', [text('x = 1')], { language: 'py' }),
      node('table', [node('tableRow', [node('tableCell', [paragraph(text('a'))]), node('tableCell', [])])]),
      node('unknown', [paragraph(node('mention', [], { text: '@Ada' }), node('date', [], { timestamp: '0' }))]),
    ])
    expect(markdownOf(document)).toBe(
      '## Steps\n\nSee [here](https://a.b)**!**\n\n- one\n- two\n  1. in\n\n```py\nx = 1\n```\n\n| a |  |\n\n@Ada1970-01-01',
    )
  })

  test('survives what is no document', () => {
    expect([undefined, null, 3, [], 'plain', {}, { type: 'toString' }].map(markdownOf)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'plain',
      '',
      '',
    ])
    let deep: Json = { type: 'text', text: 'x' }
    for (let level = 0; level < 10_000; level++) deep = { type: 'panel', content: [deep] }
    expect(markdownOf(deep)).toBe('')
  })
})

describe('the storage format', () => {
  test.each([
    ['a < b & c\nd\n\ne', '<p>a &lt; b &amp; c<br />d</p><p>e</p>'],
    ['<p>a &amp; b</p>', '<p>a &amp; b</p>'],
    ['<ac:structured-macro ac:name="toc" />\n', '<ac:structured-macro ac:name="toc" />'],
    ['<3 you > me', '<p>&lt;3 you &gt; me</p>'],
    ['', '<p></p>'],
  ])('is written from %j', (given, written) => {
    expect(storageOf(given)).toBe(written)
  })
})
