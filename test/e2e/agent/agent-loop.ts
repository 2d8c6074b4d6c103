/** An agent: a model with the interface of OpenAI's chat completions, and the tools of one MCP endpoint, until the model is done. */
import { z } from 'zod'
import type { McpClient } from '../peers/clients/client.ts'
import { MODEL } from '../peers/models/scripted-model.ts'

const Completion = z.object({
  choices: z.tuple([
    z.object({
      message: z.object({
        content: z.string().nullable(),
        tool_calls: z
          .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
          .optional(),
      }),
    }),
  ]),
})

export interface AgentParts {
  readonly client: McpClient
  readonly model: { readonly url: string; readonly key: string }
}

/** Carries out a wish; returns what the model says at the end. Throws after so many turns. */
export async function runAgent({ client, model }: AgentParts, wish: string): Promise<string> {
  const tools = (await client.tools()).map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }))
  const messages: object[] = [{ role: 'user', content: wish }]
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const response = await fetch(`${model.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${model.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, messages, tools }),
    })
    if (!response.ok) throw new Error(`the model answers ${response.status}: ${await response.text()}`)
    const { message } = Completion.parse(await response.json()).choices[0]
    if (message.tool_calls === undefined) return message.content ?? ''
    messages.push({ role: 'assistant', ...message })
    for (const { id, function: asked } of message.tool_calls) {
      const result = await client.call(asked.name, JSON.parse(asked.arguments) as Record<string, unknown>)
      const said = result.structuredContent ?? result.content.map(({ text = '' }) => text).join('\n')
      messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(said) })
    }
  }
  throw new Error(`the model is not done after ${MOST_TURNS} turns`)
}
const MOST_TURNS = 12
