/**
 * What does one tool of the demo server consist of, and how does it become an MCP tool?
 *
 * A tool is a sentence: effect, summary, input, output, `run` for the value and `say` for the text. The effect gives
 * the annotations, so a hint can never disagree with what the tool is declared to do (MCP schema 2026-07-28,
 * ToolAnnotations). A tool says no by throwing an Error with a sentence; the SDK turns it into a result with
 * `isError`. It never reaches the network, so every tool carries `openWorldHint: false`.
 */
import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import type * as z from 'zod'

export type Effect = 'read' | 'write' | 'destructive'

/** What a running tool may use of its call: cancellation, and progress when the client asked for it. */
export interface DemoCall {
  readonly signal: AbortSignal
  /** Tells how far the work is; does nothing when the client sent no progress token. */
  progress(step: { done: number; total: number; message: string }): Promise<void>
}

export interface DemoTool {
  readonly name: string
  register(server: McpServer): void
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string
  title: string
  description: string
  effect: Effect
  /** True where a second call with the same arguments changes nothing further. Reads are always idempotent. */
  idempotent?: boolean
  input: Input
  output: Output
  run(input: z.output<Input>, call: DemoCall): z.input<Output> | Promise<z.input<Output>>
  /** The same answer as a sentence or a few lines, for clients that show only text. */
  say(answer: z.input<Output>): string
}

/** Makes a tool out of its definition; the returned value knows how to register itself on a server. */
export function demoTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ToolDefinition<Input, Output>,
): DemoTool {
  const answer = async (input: unknown, context: ServerContext) => {
    // The SDK has already parsed the arguments by `tool.input`.
    const value = await tool.run(input as z.output<Input>, callOf(context))
    return { content: [{ type: 'text' as const, text: tool.say(value) }], structuredContent: value }
  }
  return {
    name: tool.name,
    register(server) {
      // Widened here: the SDK's callback type is conditional on the schema and does not resolve for a type parameter.
      const [inputSchema, outputSchema]: [z.ZodObject, z.ZodObject] = [tool.input, tool.output]
      server.registerTool(
        tool.name,
        {
          title: tool.title,
          description: tool.description,
          inputSchema,
          outputSchema,
          annotations: annotationsOf(tool.effect, tool.idempotent ?? false),
        },
        answer,
      )
    },
  }
}

function annotationsOf(effect: Effect, idempotent: boolean) {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destructive',
    idempotentHint: effect === 'read' || idempotent,
    openWorldHint: false,
  }
}

function callOf({ mcpReq }: ServerContext): DemoCall {
  const progressToken = mcpReq._meta?.progressToken
  return {
    signal: mcpReq.signal,
    async progress({ done, total, message }) {
      if (progressToken === undefined || mcpReq.signal.aborted) return
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress: done, total, message },
      })
    },
  }
}
