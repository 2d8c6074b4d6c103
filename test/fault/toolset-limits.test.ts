/** A toolset that picks tools by pattern: nothing else of its connections is reached through it, neither listed nor guessed. */
import { expect, test } from 'vitest'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { ask } from './caller.ts'
import { startScriptedUpstream } from './scripted-upstream.ts'

const key = (digits: string) => `uru_${digits.repeat(32)}`
const SOME = key('a1')
const ALL = key('b2')

test('resources and completions of a connection belong to toolsets that have it whole, and to no other', async () => {
  const schema = { type: 'object' }
  await using upstream = await startScriptedUpstream({
    era: 'modern',
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    results: {
      'tools/list': { tools: ['read', 'write'].map((name) => ({ name, inputSchema: schema })) },
      'resources/list': { resources: [{ uri: 'docs://plan', name: 'plan' }] },
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'docs://{name}', name: 'any' }] },
      'prompts/list': { prompts: [{ name: 'draft' }] },
      'resources/read': { contents: [{ uri: 'docs://plan', text: 'the plan' }] },
      'completion/complete': { completion: { values: ['plan'] } },
    },
  })
  await using gateway = await openGateway({
    connections: [
      { alias: 'up', revision: '2026-07-28', timeout: 10, wire: { kind: 'http', url: upstream.url, headers: {} } },
    ],
    toolsets: [
      { slug: 'some', title: 'Some', settings: { include: ['up__read'], exclude: [] } },
      { slug: 'all', title: 'All', settings: { include: ['up__*'], exclude: [] } },
    ],
    keys: [
      { name: 'some', value: SOME, toolset: 'some' },
      { name: 'all', value: ALL, toolset: 'all' },
    ],
  })
  const reaches = async (key: string) => {
    const joined = { url: gateway.url, key }
    const own = { url: gateway.connectionUrl('up'), key }
    const listed = async (method: string, member: string) =>
      ((await ask(joined, method)).message.result?.[member] as unknown[] | undefined)?.length ?? 0
    const answered = async (target: typeof own, method: string, params: Record<string, unknown>) =>
      (await ask(target, method, params)).message.result !== undefined
    const argument = { name: 'name', value: 'p' }
    return {
      tools: await listed('tools/list', 'tools'),
      resources: await listed('resources/list', 'resources'),
      templates: await listed('resources/templates/list', 'resourceTemplates'),
      readJoined: await answered(joined, 'resources/read', { uri: 'toolway://up/docs://plan' }),
      readOwn: await answered(own, 'resources/read', { uri: 'docs://plan' }),
      guessed: await answered(own, 'resources/read', { uri: 'docs://secret' }),
      completed: await answered(own, 'completion/complete', {
        ref: { type: 'ref/resource', uri: 'docs://{name}' },
        argument,
      }),
      completedPrompt: await answered(own, 'completion/complete', {
        ref: { type: 'ref/prompt', name: 'draft' },
        argument,
      }),
    }
  }
  expect(await reaches(ALL)).toEqual({
    tools: 2,
    resources: 1,
    templates: 1,
    readJoined: true,
    readOwn: true,
    guessed: true,
    completed: true,
    completedPrompt: true,
  })
  const asked = () => upstream.of('resources/read').length + upstream.of('completion/complete').length
  const before = asked()
  expect(await reaches(SOME)).toEqual({
    tools: 1,
    resources: 0,
    templates: 0,
    readJoined: false,
    readOwn: false,
    guessed: false,
    completed: false,
    completedPrompt: false,
  })
  expect(asked()).toBe(before)
})
