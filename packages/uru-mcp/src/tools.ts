/** The two tools of each namespace (ledger S0-PKG-13), and which call a name means. */
import type { Tool } from '@modelcontextprotocol/server'
import type { Namespace } from './proxy.ts'

export const toolsOf = (namespace: string) => ({
  list: `${namespace}__list_tools`,
  execute: `${namespace}__execute_tool`,
})

const KEY: Tool['inputSchema'] = {
  type: 'object',
  properties: { api_key: { type: 'string', description: 'A key for this call instead of the configured one.' } },
}

export function definitionsOf({ name, displayName, status }: Namespace, keyArgument: boolean): Tool[] {
  const { list, execute } = toolsOf(name)
  const own = keyArgument ? KEY.properties : {}
  const state = status === 'active' ? '' : ` The account is ${status.replaceAll('_', ' ')}.`
  return [
    {
      name: list,
      title: `Tools of ${displayName}`,
      description: `List the tools of ${displayName}, with their parameters.${state}`,
      inputSchema: {
        type: 'object',
        properties: {
          filter: { type: 'string', description: 'Only tools whose name or description contains this text.' },
          category: { type: 'string', description: 'Only tools in this category.' },
          ...own,
        },
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    {
      name: execute,
      title: `Call a tool of ${displayName}`,
      description: `Call one tool of ${displayName} that ${list} listed.${state}`,
      inputSchema: {
        type: 'object',
        properties: {
          tool_name: { type: 'string', description: 'The name as it was listed.' },
          parameters: { type: 'object', description: 'What the tool takes.', additionalProperties: true },
          ...own,
        },
        required: ['tool_name'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
  ]
}

export interface Meant {
  readonly namespace: Namespace
  readonly kind: 'list' | 'execute' | 'direct'
  /** The tool that is called by its own name. */
  readonly tool: string
}

/** Undefined for a name of no namespace. Clients that prefix names with `uru:` are understood. */
export function meantBy(text: string, namespaces: readonly Namespace[]): Meant | undefined {
  const name = text.replace(/^uru:/, '')
  const found = namespaces
    .filter((namespace) => name.startsWith(`${namespace.name}__`))
    .sort((a, b) => b.name.length - a.name.length)[0]
  if (found === undefined) return undefined
  const tool = name.slice(found.name.length + 2)
  const kind = tool === 'list_tools' ? 'list' : tool === 'execute_tool' ? 'execute' : 'direct'
  return tool === '' ? undefined : { namespace: found, kind, tool }
}
