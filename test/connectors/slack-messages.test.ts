/** Messages of apps, which say nothing in their text, as a model reads them in a channel, a thread and a search; and their files. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Json } from '../../packages/connectors/src/index.ts'
import { PATH, startOwnServer, type OwnServer } from './own-server.ts'

let slack: OwnServer
beforeAll(async () => {
  slack = await startOwnServer()
})
beforeEach(() => {
  slack.asked.length = 0
})
afterAll(() => slack.close())

const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
const rich = (...elements: Json[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
})

/** As Slack sends it, and what is read of it. */
const MESSAGES: readonly (readonly [title: string, message: Json, shown: Json])[] = [
  [
    'a PagerDuty alert in attachments',
    {
      ...{ subtype: 'bot_message', bot_id: 'B1', username: 'PagerDuty', text: '' },
      attachments: [
        {
          ...{ fallback: 'Triggered #71: Disk full', pretext: 'Triggered', title: 'Disk full on db-1' },
          ...{ title_link: 'https://acme.pagerduty.com/incidents/71', text: 'Usage is 97 %', color: 'danger' },
          fields: [
            { title: 'Service', value: 'Database', short: true },
            { title: 'Assigned', value: 'Ada' },
          ],
          actions: [{ type: 'button', text: 'Acknowledge', url: 'https://acme.pagerduty.com/ack' }],
        },
      ],
    },
    {
      ...{ subtype: 'bot_message', bot_id: 'B1', username: 'PagerDuty', text: '' },
      attachments: [
        'Triggered\n<https://acme.pagerduty.com/incidents/71|Disk full on db-1>\nUsage is 97 %\nService: Database\nAssigned: Ada\n<https://acme.pagerduty.com/ack|Acknowledge>',
      ],
    },
  ],
  [
    'a post of GitHub in blocks',
    {
      ...{ bot_id: 'B2', user: 'UBOT', bot_profile: { id: 'B2', name: 'GitHub' } },
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Pull request merged' } },
        { type: 'divider' },
        {
          ...{ type: 'section', text: mrkdwn('<https://github.com/a/b/pull/7|#7 Fix login>') },
          ...{ fields: [mrkdwn('*By:* ada'), mrkdwn('*Into:* main')] },
          accessory: {
            type: 'button',
            text: { type: 'plain_text', text: 'Open' },
            url: 'https://github.com/a/b/pull/7',
          },
        },
        {
          type: 'context',
          elements: [{ type: 'image', alt_text: 'check', image_url: 'https://a.example/c.png' }, mrkdwn('3 checks')],
        },
        {
          type: 'table',
          rows: [
            [
              { type: 'raw_text', text: 'Test' },
              { type: 'raw_number', value: 41 },
            ],
            [rich({ type: 'text', text: 'Lint' }), { type: 'raw_text', text: '2' }],
          ],
        },
        { type: 'something_new', text: mrkdwn('From a later version'), element: { label: { text: 'of Slack' } } },
      ],
    },
    {
      ...{ bot_id: 'B2', user: 'UBOT', username: 'GitHub' },
      blocks:
        'Pull request merged\n<https://github.com/a/b/pull/7|#7 Fix login>\n*By:* ada\n*Into:* main\n<https://github.com/a/b/pull/7|Open>\n<https://a.example/c.png|check> · 3 checks\nTest | 41\nLint | 2\nFrom a later version\nof Slack',
    },
  ],
  [
    'what a person wrote, whose blocks repeat it',
    {
      ...{ user: 'U1', text: 'Hi <@U2>, *see* <https://a.example/x|the plan> &amp; <#C1> :eyes:\n• first' },
      blocks: [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'text', text: 'Hi ' },
                { type: 'user', user_id: 'U2' },
                { type: 'text', text: ', ' },
                { type: 'text', text: 'see', style: { bold: true } },
                { type: 'text', text: ' ' },
                { type: 'link', url: 'https://a.example/x', text: 'the plan' },
                { type: 'text', text: ' & ' },
                { type: 'channel', channel_id: 'C1' },
                { type: 'text', text: ' ' },
                { type: 'emoji', name: 'eyes' },
              ],
            },
            {
              type: 'rich_text_list',
              elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'first' }] }],
            },
          ],
        },
      ],
    },
    { user: 'U1', text: 'Hi <@U2>, *see* <https://a.example/x|the plan> &amp; <#C1> :eyes:\n• first' },
  ],
  [
    'a file, and one that was removed',
    {
      ...{ user: 'U1', text: '' },
      files: [
        {
          ...{ id: 'F1', name: 'plan.pdf', title: 'Plan', mimetype: 'application/pdf', size: 2048, user: 'U1' },
          ...{ permalink: 'https://acme.slack.com/files/U1/F1/plan.pdf', url_private: 'https://files.slack.com/x' },
        },
        { id: 'F2', mode: 'tombstone', name: null },
      ],
    },
    {
      ...{ user: 'U1' },
      files: [
        {
          ...{ id: 'F1', name: 'plan.pdf', type: 'application/pdf', size: 2048 },
          url: 'https://acme.slack.com/files/U1/F1/plan.pdf',
        },
        { id: 'F2', name: 'tombstone' },
      ],
    },
  ],
  [
    'null where there is nothing',
    { user: null, text: null, blocks: null, attachments: null, files: null, bot_profile: null, reactions: null },
    {},
  ],
]

describe.each(MESSAGES)('%s', (_, message, shown) => {
  const row = { ts: '1.1', ...shown }
  const { text, ...rest } = row as Json
  const expected = text === '' ? rest : row

  test.each([
    ['slack_conversations_history', 'messages'],
    ['slack_conversations_replies', 'messages'],
    ['slack_conversations_search_messages', 'matches'],
  ])('%s shows it', async (name, at) => {
    const items = [{ type: 'message', ts: '1.1', ...message }]
    slack.reply = () => ({ body: { ok: true, messages: at === 'matches' ? { matches: items } : items } })
    expect((await slack.call(name))['items']).toEqual([expected])
  })
})

test('a message of any size and any depth takes a bounded part of the result', async () => {
  const deep = Array.from({ length: 200 }).reduce<Json>((inner) => ({ type: 'x', blocks: [inner] }), mrkdwn('deep'))
  const long = 'word '.repeat(5_000)
  const message = {
    ...{
      ts: '1.1',
      text: long,
      blocks: [deep, ...Array.from({ length: 50 }, () => ({ type: 'section', text: mrkdwn(long) }))],
    },
    attachments: Array.from({ length: 100 }, (_, index) => ({ text: `${index} ${long}` })),
    files: Array.from({ length: 100 }, (_, index) => ({ id: `F${index}` })),
  }
  slack.reply = () => ({ body: { ok: true, messages: [message] } })
  const { items } = await slack.call('slack_conversations_history')
  const [row = {}] = items as { attachments?: string[] }[]
  expect(JSON.stringify(row).length).toBeLessThan(25_000)
  expect(row.attachments?.[0]).toMatch(/^0 word/)
})

describe('a file', () => {
  const file = { id: 'F1', name: 'ü 1.json', mimetype: 'application/json', size: 21, title: 'Data' }
  const url = 'https://files.slack.com/files-pri/T1-F1/download/%C3%BC%201.json'
  const read = (facts: Json, headers: Record<string, string> = {}) => {
    slack.reply = ({ url: asked }) =>
      asked.pathname.endsWith('/files.info')
        ? { body: { ok: true, file: { ...file, ...facts } } }
        : { headers: { 'content-type': 'application/json', ...headers }, body: '{ "n": 12345678901234567890 }' }
    return slack.call('slack_get_file', { file_id: 'F1' })
  }

  test('is read from Slack with the account, as it is', async () => {
    expect(await read({ url_private_download: url })).toMatchObject({ id: 'F1', text: '{ "n": 12345678901234567890 }' })
    expect(slack.asked.map(({ url: at, authorized }) => [decodeURI(at.pathname), authorized])).toEqual([
      [`${PATH}/api/files.info`, true],
      [`${PATH}/files.slack.com/files-pri/T1-F1/download/ü 1.json`, true],
    ])
  })

  test('of another type comes as base64, which the gateway stores where it is large', async () => {
    expect(await read({ url_private: url, mimetype: 'image/png' }, { 'content-type': 'image/png' })).toMatchObject({
      ...{ is_base64: true, data: Buffer.from('{ "n": 12345678901234567890 }').toString('base64'), type: 'image/png' },
    })
  })

  test.each([
    ['at another host', 'https://docs.example/d/1'],
    ['at a host with Slack’s name before it', 'https://files.slack.com.example/d/1'],
    ['without TLS', 'http://files.slack.com/d/1'],
  ])('%s is not asked for with the account', async (_, address) => {
    expect(await read({ url_private: address })).toMatchObject({
      id: 'F1',
      note: expect.stringMatching(/not stored at Slack/),
    })
    expect(slack.asked).toHaveLength(1)
  })

  test('that the account may not read is no page to sign in', async () => {
    await expect(read({ url_private: url }, { 'content-type': 'text/html' })).rejects.toThrow(/web page/)
  })
})
