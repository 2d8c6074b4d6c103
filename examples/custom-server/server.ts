/** An MCP server with one tool, on stdin and stdout. Print nothing else to stdout: it carries the protocol. */
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const STOCK: Readonly<Record<string, number>> = { bolt: 120, nut: 80, washer: 0 }

serveStdio(() => {
  const server = new McpServer({ name: 'warehouse', version: '1.0.0' })
  server.registerTool(
    'stock',
    {
      description: 'Tell how many pieces of an article are in stock.',
      inputSchema: z.object({ article: z.string().describe('For example bolt') }),
      annotations: { readOnlyHint: true },
    },
    ({ article }) => {
      const pieces = STOCK[article]
      if (pieces === undefined) throw new Error(`Unknown article: ${article}. Known: ${Object.keys(STOCK).join(', ')}.`)
      return { content: [{ type: 'text', text: `${article}: ${pieces} pieces` }] }
    },
  )
  return server
})
