/**
 * The trace of one run of an agent: the run, each step of its model (`iteration`), and the question to the model in it. The calls that
 * a step makes are told of it, so that their spans stand below (OpenTelemetry, conventions for generative AI; ledger S4-TRC-01).
 *
 * No word of a person, of the model or of a tool is in it.
 */
import type { JsonObject } from '@toolway/protocol'
import { SPAN_KIND, TOOL_CALL_KEY, type Span } from '../../lib/span-scope.ts'
import type { Tracer } from '../../telemetry/tracing/tracer.ts'

export interface AgentTrace {
  beginStep(): void
  /** The model has answered; the calls that it wants come next. */
  answered(
    reason: string,
    tokens: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined },
  ): void
  endStep(): void
  /** The trace of the call; undefined where nothing is traced. */
  metaFor(toolCall: string): JsonObject | undefined
  /** `error`: the code of the fault that ended the run. */
  end(error?: string): void
}

/** `model`: its name, and the kind of its server. */
export function createAgentTrace(
  tracer: Tracer | undefined,
  { model, provider }: { readonly model: string; readonly provider: string },
): AgentTrace {
  const begun = tracer?.begin({ name: 'invoke_agent toolway', kind: SPAN_KIND.internal, parent: undefined })
  const run = begun?.span
  let steps = 0
  let iteration: Span | undefined
  let chat: Span | undefined
  const endStep = (error?: string) => {
    const step = steps
    chat?.end((to) => to.text('gen_ai.request.model', model), { error })
    iteration?.end((to) => to.whole('iteration', step), { error })
    iteration = undefined
    chat = undefined
  }
  return {
    beginStep() {
      endStep()
      steps++
      iteration = run?.child('iteration', SPAN_KIND.internal)
      chat = iteration?.child(`chat ${model}`, SPAN_KIND.client)
    },
    answered(reason, { inputTokens, outputTokens }) {
      chat?.end((to) => {
        to.text('gen_ai.operation.name', 'chat')
        to.text('gen_ai.request.model', model)
        to.text('gen_ai.provider.name', provider)
        to.text('gen_ai.response.finish_reasons', reason)
        to.whole('gen_ai.usage.input_tokens', inputTokens)
        to.whole('gen_ai.usage.output_tokens', outputTokens)
      })
    },
    endStep: () => endStep(),
    metaFor(toolCall) {
      const traceparent = iteration?.traceparent ?? begun?.traceparent
      return traceparent === undefined ? undefined : { traceparent, [TOOL_CALL_KEY]: toolCall }
    },
    end(error) {
      endStep(error)
      run?.end(
        (to) => {
          to.text('gen_ai.operation.name', 'invoke_agent')
          to.text('gen_ai.agent.name', 'toolway')
          to.text('gen_ai.request.model', model)
          to.text('gen_ai.provider.name', provider)
          to.whole('iterations', steps)
        },
        { error },
      )
    },
  }
}
