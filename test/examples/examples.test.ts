/** The programs of examples/ run as their READMEs say, against a real gateway. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'
import { callTool, textIn } from '../fault/caller.ts'
import { makeInstallation } from '../cli/installation.ts'
import { becomes, startApprovalStory } from '../e2e/peers/approval-story.ts'
import { openGateway, toolNames } from '../e2e/peers/open-gateway.ts'

const ROOT = join(import.meta.dirname, '../..')
const example = (path: string) => join(ROOT, 'examples', path)
const warehouse = {
  alias: 'warehouse',
  trusted: true,
  wire: {
    kind: 'process' as const,
    command: process.execPath,
    args: [example('custom-server/server.ts')],
    environment: {},
  },
}

test('a custom server is started by the gateway, and its tool is called', async () => {
  await using gateway = await openGateway({ connections: [warehouse] })
  const call = (article: string) => callTool(gateway, 'warehouse__stock', { article })
  expect(textIn(await call('bolt'))).toBe('bolt: 120 pieces')
  expect(textIn(await call('screw'))).toContain('Known: bolt, nut, washer')
})

test('an agent gives the tools to a model, calls what it asks for, and prints its answer', async () => {
  await using gateway = await openGateway({ connections: [warehouse] })
  const asked: { messages: { content: object[] }[]; tools: { name: string; input_schema: object }[] }[] = []
  const model = createServer((request, response) => {
    void json(request).then((body) => {
      asked.push(body as (typeof asked)[number])
      const use = { type: 'tool_use', id: 'use_1', name: 'warehouse__stock', input: { article: 'nut' } }
      const content = asked.length === 1 ? [use] : [{ type: 'text', text: 'There are 80 nuts.' }]
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ content }))
    })
  })
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [example('agent/agent.ts'), 'How many nuts are there?'],
      {
        env: {
          TOOLWAY_URL: gateway.url,
          TOOLWAY_KEY: gateway.key,
          MODEL_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1/messages`,
        },
      },
    )
    expect(stdout).toBe('There are 80 nuts.\n')
    expect(asked[0]?.tools).toContainEqual(expect.objectContaining({ name: 'warehouse__stock' }))
    expect(asked[1]?.messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'use_1', content: 'nut: 80 pieces', is_error: false },
    ])
  } finally {
    model.close()
  }
})

test(
  'an approval receiver grants one call, denies another and leaves the rest to people',
  { tags: 'long' },
  async () => {
    await using story = await startApprovalStory()
    const port = await freePort()
    const added = await story.platform('POST /api/v1/admin/tenants/default/webhooks', {
      url: `http://127.0.0.1:${port}/`,
      private: true,
      events: ['approval.requested'],
    })
    const { id: webhook, secret } = added.body as { id: string; secret: string }
    const receiver = spawn(process.execPath, [example('approval-receiver/receiver.ts')], {
      env: { TOOLWAY_URL: story.gateway.address, WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(receiver, 'exit')
    try {
      await once(receiver.stdout, 'data')
      const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"type":"approval.requested"}' })
      expect(forged.status).toBe(401)
      await using _ = await story.rule('hooked', { by: { webhooks: [webhook] } })
      const ask = async (tool: string) => (await story.call(tool)).id ?? ''
      await becomes(story, await ask('write_note'), 'granted')
      expect(await story.call('write_note')).toMatchObject({ text: 'did write_note', isError: false })
      await becomes(story, await ask('drop_all'), 'denied')
    } finally {
      receiver.kill()
      await ended
    }
  },
)

test('a gateway starts with the declaration of a team', { tags: 'long' }, async () => {
  await using here = await makeInstallation()
  const [support, report] = [`uru_${'a'.repeat(64)}`, `uru_${'b'.repeat(64)}`]
  const running = await here.start({
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
    TOOLWAY_CONFIG: example('team/toolway.yaml'),
    WAREHOUSE_SERVER: example('custom-server/server.ts'),
    TICKETS_AUTHORIZATION: 'Bearer nothing',
    SUPPORT_KEY: support,
    REPORT_KEY: report,
  })
  const listed = (key: string) => toolNames({ key }, `${running.address}/mcp`)
  await expect.poll(() => listed(report)).toEqual(['warehouse__stock'])
  const target = { url: `${running.address}/mcp`, key: support }
  expect(textIn(await callTool(target, 'warehouse__stock', { article: 'bolt' }))).toBe('bolt: 120 pieces')
  expect(await here.json(['policy', 'list'])).toMatchObject([{ name: 'look-at-destructive' }, { name: 'no-bulk' }])
  expect(await running.stop()).toBe(0)
})
