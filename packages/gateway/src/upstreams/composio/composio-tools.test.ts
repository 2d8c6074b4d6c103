/** What the gateway knows of Composio's tools that their list does not say. */
import { approvalOf, effectOf, resolveEffect, statesEffect } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
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

/** As calls and lists resolve it. */
const resolved = (definition: JsonObject | undefined) => {
  const annotations = definition?.['annotations']
  const isStated = statesEffect(annotations)
  return resolveEffect(effectOf(annotations), { connector: 'composio', trusted: false, isStated })
}

test.each([
  ['SLACK_SEND_MESSAGE', [], { effect: 'write', from: 'unknown' }, 'ask'],
  ['SLACK_SEND_MESSAGE', ['idempotentHint'], { effect: 'write', from: 'unknown' }, 'ask'],
  ['GMAIL_FETCH_EMAILS', ['readOnlyHint'], { effect: 'read', from: 'connector' }, 'none'],
  ['GMAIL_DELETE', ['destructiveHint'], { effect: 'destructive', from: 'connector' }, 'always'],
  ['COMPOSIO_SEARCH_TOOLS', [], { effect: 'write', from: 'connector' }, 'none'],
  ['COMPOSIO_MULTI_EXECUTE_TOOL', [], { effect: 'write', from: 'connector' }, 'none'],
  ['COMPOSIO_NEW_TOOL', [], { effect: 'write', from: 'unknown' }, 'ask'],
])('%s with the tags %j is %j', (slug, tags, effect, asked) => {
  const listed = toolListOf([{ slug, input_parameters: input, tags }]).tools.get(slug)
  expect(resolved(listed?.definition)).toEqual(effect)
  expect(approvalOf(resolved(listed?.definition), 'ask-destructive')).toBe(asked)
  const [session] = mcpToolsOf({ tools: [{ name: slug, inputSchema: input }] }, true)
  if (tags.length === 0) expect(resolved(session?.definition)).toEqual(effect)
})
