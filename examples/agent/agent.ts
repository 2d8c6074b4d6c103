/**
 * An agent loop: a model is given the tools of a gateway's endpoint, calls them, and answers with their results. It uses the
 * official MCP client, and any model that speaks the Messages API.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const {
  TOOLWAY_URL = 'http://localhost:8787/mcp',
  TOOLWAY_KEY = '',
  MODEL_URL,
  MODEL_KEY = '',
  MODEL = '',
} = process.env
const MAX_TURNS = 10

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
  | { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean }
type ToolUse = Extract<Block, { type: 'tool_use' }>
interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

async function askModel(messages: readonly Message[], tools: readonly object[]): Promise<Block[]> {
  if (MODEL_URL === undefined) throw new Error('Set MODEL_URL to the address of a Messages API.')
  const response = await fetch(MODEL_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': MODEL_KEY, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: MODEL, max_tokens: 1024, messages, tools }),
  })
  if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { content: Block[] }).content
}

/** Calls one tool. A refusal goes to the model as well, which may mend its call. */
async function callTool(client: Client, { id, name, input }: ToolUse): Promise<Block> {
  try {
    const { content, isError = false } = await client.callTool({ name, arguments: input })
    const texts = content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block)))
    return { type: 'tool_result', tool_use_id: id, content: texts.join('\n'), is_error: isError }
  } catch (fault) {
    return { type: 'tool_result', tool_use_id: id, content: String(fault), is_error: true }
  }
}

async function run(client: Client, question: string): Promise<string> {
  const { tools } = await client.listTools()
  const offered = tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: question }] }]
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const content = await askModel(messages, offered)
    messages.push({ role: 'assistant', content })
    const uses = content.filter((block) => block.type === 'tool_use')
    if (uses.length === 0) return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    messages.push({ role: 'user', content: await Promise.all(uses.map((use) => callTool(client, use))) })
  }
  throw new Error(`No answer after ${MAX_TURNS} turns.`)
}

const client = new Client({ name: 'example-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
const requestInit = { headers: { authorization: `Bearer ${TOOLWAY_KEY}` } }
await client.connect(new StreamableHTTPClientTransport(new URL(TOOLWAY_URL), { requestInit }))
try {
  console.log(await run(client, process.argv[2] ?? 'Which tools do you have?'))
} finally {
  await client.close()
}
