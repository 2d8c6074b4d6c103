/**
 * Messages that a server sends during a call or about itself: progress, logs, a stream it closes early, and the change
 * notifications that other requests listen for.
 *
 * The triggers change nothing: the lists stay as they are, so that their order can be compared.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { McpServer, ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { text } from './samples.ts'

const STEP_MS = 50

/** Adds the tools whose interest is what arrives beside the result. */
export function registerSignalTools(server: McpServer, bus: ServerEventBus): void {
  registerProgress(server)
  registerLogs(server)
  server.registerTool('test_reconnection', { description: 'Closes its stream before it answers' }, async (ctx) => {
    await pause(STEP_MS)
    ctx.http?.closeSSE?.()
    await pause(2 * STEP_MS)
    return text('Reconnection test completed successfully.')
  })
  registerTrigger(server, bus, 'test_trigger_tool_change', { kind: 'tools_list_changed' })
  registerTrigger(server, bus, 'test_trigger_prompt_change', { kind: 'prompts_list_changed' })
  registerTrigger(server, bus, 'test_trigger_resource_change', { kind: 'resources_list_changed' })
  registerTrigger(server, bus, 'test_trigger_resource_update', {
    kind: 'resource_updated',
    uri: 'test://watched-resource',
  })
}

function registerProgress(server: McpServer): void {
  server.registerTool('test_tool_with_progress', { description: 'Reports its progress' }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await pause(STEP_MS)
      if (progressToken === undefined) continue
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    }
    return text('Progress test completed.')
  })
}

function registerLogs(server: McpServer): void {
  server.registerTool('test_tool_with_logging', { description: 'Logs three lines' }, async (ctx) => {
    await ctx.mcpReq.log('info', 'Tool execution started')
    await pause(STEP_MS)
    await ctx.mcpReq.log('info', 'Tool processing data')
    await pause(STEP_MS)
    await ctx.mcpReq.log('info', 'Tool execution completed')
    return text('Logging test completed.')
  })
  server.registerTool('test_logging_tool', { description: 'Logs one line if the caller wants logs' }, async (ctx) => {
    await ctx.mcpReq.log('info', 'One line')
    return text('Logged.')
  })
}

function registerTrigger(server: McpServer, bus: ServerEventBus, name: string, event: ServerEvent): void {
  server.registerTool(name, { description: `Publishes ${event.kind}` }, () => {
    bus.publish(event)
    return text(`Published ${event.kind}.`)
  })
}
