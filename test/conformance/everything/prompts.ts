/**
 * Prompts of the everything server: plain, with arguments (completed), with a resource, with an image, and one that asks for
 * input first.
 */
import { acceptedContent, completable, inputRequired } from '@modelcontextprotocol/server'
import type { GetPromptResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { askFor } from './round-tools.ts'
import { PNG } from './samples.ts'

const user = (content: GetPromptResult['messages'][number]['content']) => ({ role: 'user' as const, content })
const userText = (text: string) => user({ type: 'text', text })

const completed = completable(z.string().describe('First test argument'), (typed) =>
  ['testing', 'paris', 'park'].filter((word) => word.startsWith(typed)),
)

/** Adds the prompts. */
export function registerPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'No arguments' }, () => ({
    messages: [userText('This is a simple prompt for testing.')],
  }))
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Two arguments',
      argsSchema: z.object({ arg1: completed, arg2: z.string().describe('Second test argument') }),
    },
    ({ arg1, arg2 }) => ({ messages: [userText(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'Embeds the resource it is given',
      argsSchema: z.object({ resourceUri: z.string().describe('URI of the resource to embed') }),
    },
    ({ resourceUri }) => {
      const text = 'Embedded resource content for testing.'
      const resource = { uri: resourceUri, mimeType: 'text/plain', text }
      return {
        messages: [user({ type: 'resource', resource }), userText('Please process the embedded resource above.')],
      }
    },
  )
  server.registerPrompt('test_prompt_with_image', { description: 'Carries an image' }, () => ({
    messages: [user({ type: 'image', data: PNG, mimeType: 'image/png' }), userText('Please analyze the image above.')],
  }))
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks for a context first' }, (ctx) => {
    const context = acceptedContent(ctx.mcpReq.inputResponses, 'user_context')?.['context']
    if (typeof context === 'string') return { messages: [userText(`Use this context: ${context}`)] }
    const user_context = askFor('What context should the prompt use?', 'context')
    return inputRequired({ inputRequests: { user_context } })
  })
}
