/** What the gateway knows of Composio's tools that their list does not say. */
import { effectOf } from '@toolway/contract'
import { expect, test } from 'vitest'
import { mcpToolsOf, toolListOf } from './composio-tools.ts'

const input = { type: 'object' }

test.each([
  ['COMPOSIO_REMOTE_WORKBENCH', 'destructive'],
  ['COMPOSIO_REMOTE_BASH_TOOL', 'destructive'],
  ['RUBE_REMOTE_WORKBENCH', 'destructive'],
  ['COMPOSIO_SEARCH_TOOLS', 'write'],
])('%s is %s in a session and in the list, although neither says anything of effects', (name, effect) => {
  const [session] = mcpToolsOf({ tools: [{ name, inputSchema: input }] }, true)
  const listed = toolListOf([{ slug: name, input_parameters: input }]).tools.get(name)
  for (const tool of [session, listed]) expect(effectOf(tool?.definition['annotations'])).toBe(effect)
})

test('a workbench that is said to only read is destructive all the same', () => {
  const annotations = { readOnlyHint: true }
  const [tool] = mcpToolsOf({ tools: [{ name: 'COMPOSIO_REMOTE_WORKBENCH', inputSchema: input, annotations }] }, true)
  expect(effectOf(tool?.definition['annotations'])).toBe('destructive')
})
