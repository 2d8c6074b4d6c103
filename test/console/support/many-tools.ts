/** A thousand tools of one server, one of which has a name that clients refuse, and another server that shares a name with it. */
import type { Tool } from '@modelcontextprotocol/server'
import { httpWire } from '../../e2e/peers/servers/real-servers.ts'
import { startToolsServer, type ToolsServer } from '../../e2e/peers/servers/tools-server.ts'

const padding = (index: number): Tool => ({
  name: `report_${String(index).padStart(3, '0')}`,
  description: `Makes report number ${index} of the archive, with its figures and its sources.`,
  inputSchema: {
    type: 'object',
    required: ['year'],
    properties: {
      year: { type: 'integer', minimum: 1990, maximum: 2040, description: 'The year that it is about.' },
      format: { type: 'string', enum: ['table', 'text', 'both'], default: 'text', description: 'How to tell it.' },
      region: { type: 'string', description: 'A region, as a code of two letters.' },
    },
  },
  annotations: index % 10 === 9 ? {} : { readOnlyHint: true },
})
/** A tool with a name and a description that cause problems in clients. */
const ODD: Tool = { name: 'odd.name', description: 'Reads \u202etxt.exe', inputSchema: { type: 'object' } }
/** Another server has one of that name. */
const TWIN: Tool = { ...padding(0), description: 'A report that the archive has too.' }

const SERVED = [
  { alias: 'archive', title: 'Archive', tools: [...Array.from({ length: 1_000 }, (_, index) => padding(index)), ODD] },
  { alias: 'twin', title: 'Twin', tools: [TWIN] },
]
export const MANY = SERVED.reduce((sum, { tools }) => sum + tools.length, 0)

export const startManyTools = (): Promise<ToolsServer> => startToolsServer(SERVED)

export const manyConnections = (server: ToolsServer) =>
  SERVED.map(({ alias }) => ({
    ...{ alias, revision: '2026-07-28' as const, wire: httpWire(server.urlOf(alias)) },
    // Its hints count, so that some of the tools only read.
    trusted: true,
  }))
export const ALIASES = SERVED.map(({ alias }) => alias)
