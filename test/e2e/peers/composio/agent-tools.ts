/** The tools that the source system Universal Agent names at Composio (seed 004, section 2), and the accounts of its user. */
import { startComposio, type ComposioDouble, type ComposioOptions, type DoubleTool } from './composio-double.ts'

/** The user for whom the agent acts (`DEFAULT_USER_ID`). */
export const AGENT_USER = 'agent-user'

const tool = (slug: string, toolkit: string, hint: string | undefined, takes: readonly string[]): DoubleTool => ({
  slug,
  toolkit,
  ...(hint === undefined ? {} : { tags: [hint] }),
  noAuth: toolkit === 'composio_search' || toolkit === 'codeinterpreter',
  input: {
    type: 'object',
    properties: Object.fromEntries(takes.map((name) => [name, TYPES[name] ?? { type: 'string' }])),
    required: takes.slice(0, 1),
  },
})

const TYPES: Readonly<Record<string, object>> = {
  num_results: { type: 'integer' },
  attachments: { type: 'array', items: { type: 'string' } },
  attachment: {
    type: 'object',
    title: 'FileUploadable',
    properties: { name: { type: 'string' }, mimetype: { type: 'string' }, s3key: { type: 'string' } },
    required: ['name', 'mimetype', 's3key'],
    file_uploadable: true,
  },
}

export const AGENT_TOOLS: readonly DoubleTool[] = [
  tool('COMPOSIO_SEARCH_NEWS', 'composio_search', 'readOnlyHint', ['query', 'num_results']),
  tool('COMPOSIO_SEARCH_WEB', 'composio_search', 'readOnlyHint', ['query', 'num_results']),
  // Its name is that of a search, and it writes: only what reads is the report expert's.
  tool('COMPOSIO_SEARCH_SAVE', 'composio_search', undefined, ['query']),
  tool('CODEINTERPRETER_GET_FILE_CMD', 'codeinterpreter', 'readOnlyHint', ['file_path']),
  tool('CODEINTERPRETER_WRITE_FILE_CMD', 'codeinterpreter', undefined, ['file_path', 'content']),
  tool('GMAIL_SEND_EMAIL', 'gmail', 'destructiveHint', ['to', 'subject', 'body', 'attachments', 'attachment']),
  tool('OUTLOOK_SEND_EMAIL', 'outlook', 'destructiveHint', ['to', 'subject', 'body', 'attachments']),
  tool('SLACK_SEND_MESSAGE', 'slack', 'destructiveHint', ['channel', 'text']),
]

/** Composio with these tools, and an account of the agent's user at each app. */
export async function startAgentComposio(options: ComposioOptions = {}): Promise<ComposioDouble> {
  const composio = await startComposio(AGENT_TOOLS, options)
  for (const toolkit of ['gmail', 'outlook', 'slack'])
    composio.accounts.push({ id: `ca_${toolkit}`, user: AGENT_USER, toolkit, status: 'ACTIVE' })
  return composio
}
