/** The texts that a model reads: the tools of a namespace, the result of a call, and a failure with what to do next. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { linkMeta, type Executed, type Namespace, type ProxyTool } from './proxy.ts'
import { toolsOf } from './tools.ts'

const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

/** All tools, or those that match; nothing is left out without saying so. */
export function listText({ displayName, name }: Namespace, tools: readonly ProxyTool[], all: number): CallToolResult {
  const { execute } = toolsOf(name)
  const head =
    tools.length === all
      ? `${displayName} has ${all} tools.`
      : `${tools.length} of the ${all} tools of ${displayName} match.`
  const lines = tools.map(({ name: tool, description, inputSchema }) => {
    const properties = Object.keys((inputSchema['properties'] as object | undefined) ?? {})
    const required = Array.isArray(inputSchema['required']) ? inputSchema['required'].map(String) : []
    const example = Object.fromEntries(required.map((value) => [value, `<${value}>`]))
    return [
      `## ${tool}`,
      ...(description === '' ? [] : [description]),
      `Parameters: ${properties.length === 0 ? 'none' : properties.join(', ')}`,
      ...(required.length === 0 ? [] : [`Required: ${required.join(', ')}`]),
      `Schema: ${JSON.stringify(inputSchema)}`,
      `Example: ${execute} ${JSON.stringify({ tool_name: tool, parameters: example })}`,
    ].join('\n')
  })
  return textResult([`${head} Call one with ${execute}.`, ...lines].join('\n\n'))
}

export function resultText(executed: Executed, namespace: Namespace, namespaces: readonly Namespace[]): CallToolResult {
  const { data, successful } = executed
  if (!successful) return failureText(executed, namespace, namespaces)
  const text = typeof data === 'string' ? data : JSON.stringify(data ?? null, undefined, 2)
  const { logId } = executed
  return { ...textResult(text), structuredContent: { data, successful, error: null, log_id: logId ?? null } }
}

/** What helps against a refusal that is not about the parameters, by its code. Reading them again would lead nowhere. */
const TIPS: Readonly<Record<string, string>> = {
  APPROVAL_REQUIRED: 'a person has to approve this call. Tell them, and make the same call again once it is approved.',
  NEEDS_AUTH: 'a person has to connect an account first. Tell them, and call the tool again afterwards.',
  UNAUTHENTICATED: 'the key is not valid. Tell the person who set it up.',
  PERMISSION_DENIED: 'this is not allowed for this account. Tell the person that you work for, and do not try again.',
  POLICY_VIOLATION: 'a rule of the workspace forbids this call. Do not try again with the same arguments.',
  RATE_LIMITED: 'wait before you call it again.',
  TIMEOUT: 'request less, or call it again later.',
  UNAVAILABLE: 'the service is not available. Call it again later.',
  CANCELLED: 'the call was cancelled.',
}

const tipOf = (code: string | undefined, workspace: string): string =>
  TIPS[code ?? ''] ?? `list the tools of ${workspace} to see which parameters this one takes, then call it again.`

/** As the published package writes it since 3.6.8, but for the tip: there it is always about the parameters. */
function failureText(executed: Executed, namespace: Namespace, namespaces: readonly Namespace[]): CallToolResult {
  const { error, code, data, logId, link } = executed
  const lines = [
    error ?? 'The tool failed and did not say why.',
    `Code: ${code ?? 'EXECUTION_ERROR'}`,
    `Recovery tools: ${toolsOf(namespace.name).list}`,
    `Available workspaces: ${namespaces.map(({ name }) => name).join(', ')}`,
    `Tip: ${tipOf(code, namespace.name)}`,
  ]
  return {
    ...textResult(lines.join('\n')),
    ...(link === undefined ? {} : { _meta: linkMeta(link) }),
    isError: true,
    structuredContent: { data, successful: false, error: error ?? null, log_id: logId ?? null },
  }
}
