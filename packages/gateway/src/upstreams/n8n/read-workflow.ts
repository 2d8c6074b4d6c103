/**
 * A workflow of n8n as tools: one for each trigger that a request can start. Pure, and always the same for the same workflow.
 *
 * Source: n8n's public API (`GET /workflows`), and the parameters of its nodes Webhook and n8n Form Trigger.
 */
import { isObject, isShallow, type Json, type JsonObject } from '@toolway/protocol'
import { schemaRead } from '../../lib/json-schema/schemas-read.ts'
import { UnusableSchema } from '../../lib/json-schema/usable.ts'
import { formSchema, notedSchema, openSchema, type FormField } from './workflow-schema.ts'

export interface WorkflowTool {
  readonly workflowId: string
  readonly name: string
  readonly definition: JsonObject
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the address of webhooks, with `:name` where an argument goes. */
  readonly path: string
  /** The arguments that stand in the path. */
  readonly inPath: readonly string[]
  /** The names of a form's fields in the order of its page; undefined for a webhook. */
  readonly fields: readonly string[] | undefined
  /** It answers at once, before the workflow has ended. */
  readonly startsOnly: boolean
}

export interface ReadWorkflow {
  readonly tools: readonly WorkflowTool[]
  /** Why it is none; undefined where it is one. */
  readonly problem: string | undefined
}

const WEBHOOK = 'n8n-nodes-base.webhook'
const FORM = 'n8n-nodes-base.formTrigger'
const MCP = '@n8n/n8n-nodes-langchain.mcpTrigger'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const MOST_LEVELS = 60
const LONGEST_NAME = 60
const LONGEST_DESCRIPTION = 2_000
const CATEGORY_KEY = 'dev.toolway/category'

interface Workflow {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly tags: readonly string[]
  readonly nodes: readonly JsonObject[]
}

/** @param tag of the workflows that become tools; `tag:read` and `tag:destructive` state an effect */
export function readWorkflow(value: Json, tag: string): ReadWorkflow {
  if (!isShallow(value, MOST_LEVELS)) return { tools: [], problem: `it nests deeper than ${MOST_LEVELS} levels` }
  const workflow = workflowIn(value)
  if (workflow === undefined) return { tools: [], problem: 'it is not described as an n8n workflow' }
  const { nodes } = workflow
  const triggers = nodes.filter(({ type }) => type === WEBHOOK || type === FORM)
  if (triggers.length === 0) return { tools: [], problem: withoutTrigger(nodes) }
  const tools: WorkflowTool[] = []
  for (const node of triggers) {
    const tool = toolOf(workflow, { node, tag, several: triggers.length > 1 })
    if (typeof tool === 'string') return { tools: [], problem: tool }
    tools.push(tool)
  }
  return { tools, problem: undefined }
}

function workflowIn(value: Json): Workflow | undefined {
  if (!isObject(value) || typeof value['id'] !== 'string' || !Array.isArray(value['nodes'])) return undefined
  const { id, name, description, tags, nodes } = value
  return {
    id,
    title: typeof name === 'string' && name.trim() !== '' ? name.trim() : id,
    description: typeof description === 'string' ? description.trim() : '',
    tags: (Array.isArray(tags) ? tags : []).flatMap((item) =>
      isObject(item) && typeof item['name'] === 'string' ? [item['name']] : [],
    ),
    nodes: nodes.filter(isObject).filter(({ disabled }) => disabled !== true),
  }
}

function withoutTrigger(nodes: readonly JsonObject[]): string {
  const mcp = nodes.find(({ type }) => type === MCP)
  if (mcp === undefined) return 'it has neither a Webhook nor a Form trigger, so a request cannot start it'
  return `it is itself an MCP server: connect its address, …/mcp/${textAt(mcp['parameters'], 'path') ?? ''}`
}

interface Trigger {
  readonly node: JsonObject
  readonly tag: string
  readonly several: boolean
}

/** A problem, as a text, where it cannot be one. */
function toolOf(workflow: Workflow, { node, tag, several }: Trigger): WorkflowTool | string {
  const parameters = isObject(node['parameters']) ? node['parameters'] : {}
  const isForm = node['type'] === FORM
  const path = pathOf(node, parameters, isForm)
  if (path === undefined) return 'its trigger has no path'
  const method = isForm ? 'POST' : methodOf(parameters)
  if (method === undefined) return 'its Webhook accepts none of GET, POST, PUT, PATCH and DELETE'
  const inPath = isForm ? [] : Array.from(path.matchAll(/(?<=^|\/):([A-Za-z0-9_]+)/g), ([, name = '']) => name)
  const fields = isForm ? fieldsOf(parameters) : undefined
  const notes = notesOf(workflow.nodes, node)
  const schema = fields === undefined ? (notedSchema(notes) ?? openSchema(method, inPath)) : formSchema(fields)
  const problem = problemOf(schema)
  if (problem !== undefined) return `the JSON Schema in its notes cannot be used: ${problem}`
  const name = nameOf(several ? `${workflow.title} ${String(node['name'])}` : workflow.title, workflow.id)
  return {
    workflowId: workflow.id,
    name,
    definition: {
      name,
      title: workflow.title,
      description: describe(workflow, notes),
      inputSchema: schema,
      annotations: annotationsOf(workflow.tags, tag),
      _meta: { [CATEGORY_KEY]: 'workflow' },
    },
    method,
    path: `${isForm ? 'form' : 'webhook'}/${path}`,
    inPath,
    fields: fields?.map(({ label }) => label),
    startsOnly: !isForm && (textAt(parameters, 'responseMode') ?? 'onReceived') === 'onReceived',
  }
}

/** A path with parts that are arguments begins with the id of its webhook (n8n, Webhook node, path). */
function pathOf(node: JsonObject, parameters: JsonObject, isForm: boolean): string | undefined {
  const id = textAt(node, 'webhookId')
  const options = isObject(parameters['options']) ? parameters['options'] : {}
  const stated = textAt(parameters, 'path') ?? (isForm ? textAt(options, 'path') : undefined) ?? id
  const path = stated?.replace(/^\/+|\/+$/g, '')
  if (path === undefined || path === '') return undefined
  return !isForm && /(?:^|\/):/.test(path) && id !== undefined ? `${id}/${path}` : path
}

function methodOf({ httpMethod = 'GET' }: JsonObject): WorkflowTool['method'] | undefined {
  const values = Array.isArray(httpMethod) ? httpMethod : [httpMethod]
  return METHODS.find((method) => values.includes(method))
}

function fieldsOf({ formFields }: JsonObject): FormField[] {
  const values = isObject(formFields) && Array.isArray(formFields['values']) ? formFields['values'] : []
  return values.filter(isObject).flatMap((field) => {
    const label = textAt(field, 'fieldLabel') ?? textAt(field, 'fieldName')
    if (label === undefined || ['html', 'hiddenField', 'file'].includes(String(field['fieldType']))) return []
    const options = isObject(field['fieldOptions']) ? field['fieldOptions']['values'] : undefined
    return [
      {
        label,
        type: textAt(field, 'fieldType') ?? 'text',
        required: field['requiredField'] === true,
        several: field['multiselect'] === true,
        about: textAt(field, 'placeholder'),
        options: (Array.isArray(options) ? options : []).flatMap((value) => textAt(value, 'option') ?? []),
      },
    ]
  })
}

/** The notes of the trigger, and the sticky notes of the workflow. */
const notesOf = (nodes: readonly JsonObject[], trigger: JsonObject): readonly string[] => [
  ...[textAt(trigger, 'notes')].filter((note) => note !== undefined),
  ...nodes.flatMap(({ type, parameters }) =>
    type === 'n8n-nodes-base.stickyNote' ? (textAt(parameters, 'content') ?? []) : [],
  ),
]

function describe({ title, description }: Workflow, notes: readonly string[]): string {
  const [note] = notes.map((text) => text.replaceAll(/```[^]*?```/g, '').trim()).filter((text) => text !== '')
  const about = description === '' ? (note ?? `Runs the n8n workflow “${title}”.`) : description
  return about.slice(0, LONGEST_DESCRIPTION)
}

/** A workflow may do anything, unless its tags say otherwise. */
function annotationsOf(tags: readonly string[], tag: string): JsonObject {
  const reads = tags.includes(`${tag}:read`)
  return {
    readOnlyHint: reads,
    destructiveHint: !reads && tags.includes(`${tag}:destructive`),
    idempotentHint: reads,
    openWorldHint: true,
  }
}

/** A title as the name of a tool; ids are letters and digits. */
function nameOf(title: string, id: string): string {
  const name = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, LONGEST_NAME)
  return name === '' ? `workflow_${id.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, LONGEST_NAME)}` : name
}

function problemOf(schema: JsonObject): string | undefined {
  try {
    schemaRead(schema)
    return undefined
  } catch (thrown) {
    if (thrown instanceof UnusableSchema) return thrown.message
    throw thrown
  }
}

function textAt(input: Json | undefined, member: string): string | undefined {
  const value = isObject(input) ? input[member] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}
