/**
 * The tools that the `tasks-*` scenarios call, and how each of them goes on as a task (Tasks extension, SEP-2663).
 *
 * No SDK serves this extension, so the messages are written here as its published schemas have them
 * (`@modelcontextprotocol/ext-tasks`, core/v2). Time runs through `tasks.ts`; a tool says only what happens.
 */
import type { Running } from './tasks.ts'

type Json = Record<string, unknown>

export interface TaskTool {
  readonly name: string
  readonly description: string
  readonly properties: Json
  /** It can answer in no other way. */
  readonly required: boolean
  /** Returns the input that is required before a task is created; undefined if none is. */
  before?(given: Json, answers: Json): Json | undefined
  /** The answer at once, where there is one. */
  atOnce?(given: Json): Json | undefined
  /** The work of the task; what it resolves with is the tool's result, what it throws is the request's error. */
  run(given: Json, running: Running, answers: Json): Promise<Json>
}

export const text = (value: string, isError = false): Json => ({
  content: [{ type: 'text', text: value }],
  ...(isError ? { isError } : {}),
})

const elicit = (message: string, field: string, type: string): Json => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] },
  },
})

const contentOf = (answer: unknown): Json => ((answer as Json | undefined)?.['content'] ?? {}) as Json

export const TASK_TOOLS: readonly TaskTool[] = [
  {
    name: 'slow_compute',
    description: 'Takes its time',
    properties: { seconds: { type: 'number' }, label: { type: 'string' } },
    required: false,
    atOnce: ({ seconds, label }) => (Number(seconds) > 0 ? undefined : text(`computed ${String(label)} at once`)),
    async run({ seconds, label }, running) {
      await running.pause(Number(seconds) * 1000)
      return text(`computed ${String(label)}`)
    },
  },
  {
    name: 'failing_job',
    description: 'Fails as a tool fails',
    properties: {},
    required: true,
    async run(_, running) {
      await running.pause(200)
      return text('the job failed', true)
    },
  },
  {
    name: 'protocol_error_job',
    description: 'Fails as a request fails',
    properties: {},
    required: false,
    async run(_, running) {
      await running.pause(200)
      throw new Error('the job broke')
    },
  },
  {
    name: 'confirm_delete',
    description: 'Asks before it deletes',
    properties: { filename: { type: 'string' } },
    required: false,
    async run({ filename }, running) {
      const { confirm } = await running.ask({ confirm: elicit(`Delete ${String(filename)}?`, 'confirm', 'boolean') })
      const { action } = confirm as Json
      return text(action === 'accept' ? `deleted ${String(filename)}` : `kept ${String(filename)}`)
    },
  },
  {
    name: 'multi_input',
    description: 'Asks for two things at once',
    properties: {},
    required: false,
    async run(_, running) {
      const answers = await running.ask({
        first: elicit('Your first name?', 'name', 'string'),
        second: elicit('Your second name?', 'name', 'string'),
      })
      return text(`${String(contentOf(answers['first'])['name'])} ${String(contentOf(answers['second'])['name'])}`)
    },
  },
  {
    name: 'test_tool_with_task',
    description: 'Asks for a name, and works on as a task',
    properties: {},
    required: true,
    before: (_, answers) =>
      'user_name' in answers ? undefined : { user_name: elicit('What is your name?', 'name', 'string') },
    async run(_, running, answers) {
      await running.pause(100)
      return text(`Hello, ${String(contentOf(answers['user_name'])['name'])}!`)
    },
  },
]
