/**
 * The parts of a Slack message as text that a model reads: blocks, attachments and files. Apps say most of what they say in blocks and
 * attachments, and their `text` is empty or a notice. Each text is bounded, and what is unknown gives the texts in it.
 * https://docs.slack.dev/reference/block-kit/blocks, https://docs.slack.dev/messaging/formatting-message-text
 */
import { get, isJson, many, num, prose, shape, str, strs, type Json } from '../kit/index.ts'

const MOST_BLOCKS = 4_000
const MOST_ATTACHMENTS = 10
const MOST_ATTACHMENT = 1_000
/** Levels of blocks within blocks. */
const DEEPEST = 8

const File = shape({
  id: str(),
  name: str(),
  type: str('mimetype'),
  size: num(),
  url: str('permalink'),
})
/** What each message has, in a channel, a thread or among matches of a search. */
export const MESSAGE = {
  ts: str(),
  user: str(),
  username: str(),
  bot_id: str(),
  subtype: str(),
  text: prose('text', MOST_BLOCKS),
  blocks: prose('blocks', MOST_BLOCKS),
  attachments: strs(),
  files: many(File, 'files', 20),
}

/** A message with its parts as text. Blocks that only repeat the text are left out, as those are of what a person wrote. */
export function messageOf(message: Json): Json {
  const text = typeof message['text'] === 'string' ? message['text'] : ''
  const blocks = wordsOf(message['blocks'])
  const attachments = listOf(message['attachments'])
    .slice(0, MOST_ATTACHMENTS)
    .map((attachment) => cut(attachmentOf(attachment), MOST_ATTACHMENT))
    .filter((words) => words !== '')
  const files = listOf(message['files']).map((file) => ({
    ...file,
    name: file['name'] ?? file['title'] ?? file['mode'],
  }))
  return {
    ...message,
    username: message['username'] ?? get(message, 'bot_profile.name'),
    blocks: bare(text).includes(bare(blocks)) ? undefined : blocks,
    attachments,
    files,
  }
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text

/** A text without its marks, to compare it. */
const bare = (text: string): string =>
  unescaped(text)
    .replaceAll(/[*_~`<>|•\s]/g, '')
    .toLowerCase()
const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : [])
const lines = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('\n')
const linked = (words: string, address: unknown): string =>
  typeof address !== 'string' || address === '' || words.includes(address)
    ? words
    : words === ''
      ? `<${address}>`
      : `<${address}|${words}>`
const plain = (value: unknown): string => (typeof value === 'string' ? value : '')

const wordsOf = (blocks: unknown, depth = 0): string => lines(listOf(blocks).map((block) => blockOf(block, depth)))

/** The members of a block that hold words or further elements, in the order in which Slack shows them. */
const SHOWN = ['title', 'text', 'label', 'description', 'fields', 'elements', 'accessory', 'element', 'rows', 'blocks']

function blockOf(block: unknown, depth: number): string {
  if (typeof block === 'string') return block
  if (Array.isArray(block)) return block.map((each) => blockOf(each, depth + 1)).join(' | ')
  if (!isJson(block) || depth > DEEPEST) return ''
  const type = plain(block['type'])
  if (INLINE.has(type)) return inlineOf(type, block)
  const inner = (value: unknown) => blockOf(value, depth + 1)
  if (type.startsWith('rich_text')) return richOf(type, listOf(block['elements']).map(inner))
  if (type === 'image') return lines([inner(block['title']), linked(plain(block['alt_text']), block['image_url'])])
  if (type === 'context' || type === 'actions') return listOf(block['elements']).map(inner).filter(Boolean).join(' · ')
  const address = block['url'] ?? block['title_url']
  const parts = SHOWN.filter((name) => block[name] !== undefined).map((name) => {
    const value = block[name]
    return Array.isArray(value) ? lines(value.map(inner)) : inner(value)
  })
  return linked(lines(parts), address)
}

function richOf(type: string, parts: readonly string[]): string {
  if (type === 'rich_text') return lines(parts)
  if (type === 'rich_text_list') return lines(parts.map((part) => `• ${part}`))
  return parts.join('')
}

/** Elements within a line, as mrkdwn has them. */
const INLINE: ReadonlySet<string> = new Set([
  ...[
    'text',
    'link',
    'user',
    'usergroup',
    'team',
    'channel',
    'emoji',
    'broadcast',
    'date',
    'color',
    'raw_text',
    'raw_number',
  ],
])
function inlineOf(type: string, element: Json): string {
  switch (type) {
    case 'link':
      return linked(plain(element['text']), element['url'])
    case 'user':
      return `<@${plain(element['user_id'])}>`
    case 'usergroup':
      return `<!subteam^${plain(element['usergroup_id'])}>`
    case 'team':
      return `<!team^${plain(element['team_id'])}>`
    case 'channel':
      return `<#${plain(element['channel_id'])}>`
    case 'broadcast':
      return `<!${plain(element['range'])}>`
    case 'emoji':
      return `:${plain(element['name'])}:`
    case 'date':
      return plain(element['fallback']) || String(element['timestamp'] ?? '')
    default:
      return String(element['text'] ?? element['value'] ?? '')
  }
}

/** A secondary attachment (an alert of an app, a preview of a link, a shared message). The fallback counts where nothing else is there. */
function attachmentOf(attachment: Json): string {
  const fields = listOf(attachment['fields']).map(({ title, value }) =>
    [plain(title), plain(value)].filter((part) => part !== '').join(': '),
  )
  const shared = listOf(attachment['message_blocks']).map((item) => wordsOf(get(item, 'message.blocks')))
  const body = [plain(attachment['text']), wordsOf(attachment['blocks']) || lines(shared)]
  const words = lines([
    plain(attachment['pretext']),
    plain(attachment['author_name']),
    linked(plain(attachment['title']), attachment['title_link']),
    // What is shared comes as text and as blocks.
    bare(body[0] ?? '').includes(bare(body[1] ?? '')) ? body[0] : lines(body),
    ...fields,
    ...listOf(attachment['actions']).map(({ text, url }) => linked(plain(text), url)),
    plain(attachment['footer']),
  ])
  const own = words === '' ? plain(attachment['fallback']) : words
  return linked(own, attachment['from_url'] ?? attachment['image_url'])
}
