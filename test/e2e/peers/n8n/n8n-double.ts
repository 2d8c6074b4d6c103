/**
 * n8n as its public API and its Webhook and Form Trigger nodes are described: the list of workflows in pages and by filters, executions
 * with their data, production webhooks in three response modes, and its refusals. What is not in the description is refused.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Fields = Record<string, unknown>

export interface Node {
  readonly name: string
  readonly type: string
  readonly webhookId?: string
  readonly disabled?: boolean
  readonly notes?: string
  readonly parameters: Fields
}

export interface Workflow {
  readonly id: string
  readonly name: string
  active: boolean
  readonly isArchived?: boolean
  tags: { readonly name: string }[]
  readonly nodes: readonly Node[]
  /** What a run gives, or throws. */
  run?(input: Fields): unknown
  /** Milliseconds that a run takes. */
  readonly slow?: number
}

export interface Ran {
  readonly workflow: string
  readonly method: string
  readonly query: Fields
  readonly body: unknown
  readonly headers: IncomingMessage['headers']
}

export interface N8nDouble extends AsyncDisposable {
  readonly url: string
  readonly workflows: Workflow[]
  /** Runs of workflows, in order. */
  readonly ran: readonly Ran[]
  /** Requests to the API, without its keys: method, path and query. */
  readonly asked: readonly string[]
  /** Headers of the requests to the API. */
  readonly apiHeaders: readonly IncomingMessage['headers'][]
  key: string
  /** Instead of an answer of a webhook, once for each. */
  readonly next: ('cut' | number)[]
  /** The key may not read executions. */
  blind: boolean
}

const API_QUERIES: Readonly<Record<string, readonly string[]>> = {
  workflows: ['offset', 'limit', 'cursor', 'active', 'tags', 'name', 'projectId', 'excludePinnedData'],
  executions: ['limit', 'cursor', 'includeData', 'status', 'workflowId', 'projectId', 'startedAfter', 'startedBefore'],
  execution: ['includeData'],
}
const MOST = 250

export async function startN8n(workflows: Workflow[], { pageSize = MOST } = {}): Promise<N8nDouble> {
  const state = { key: 'n8n-key', blind: false, ran: [] as Ran[], asked: [] as string[], next: [] as N8nDouble['next'] }
  const apiHeaders: IncomingMessage['headers'][] = []
  const executions: { id: number; workflowId: string; status: string; startedAt: string; data: Fields }[] = []

  const say = (response: ServerResponse, status: number, body: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  function answerApi(request: IncomingMessage, response: ServerResponse, url: URL): void {
    state.asked.push(`${request.method} ${url.pathname}${url.search}`)
    apiHeaders.push(request.headers)
    const key = request.headers['x-n8n-api-key']
    if (key === undefined) return say(response, 401, { message: "'X-N8N-API-KEY' header required" })
    if (key !== state.key) return say(response, 401, { message: 'unauthorized' })
    const [, what = '', id] = /^\/api\/v1\/(workflows|executions)(?:\/([^/]+))?$/.exec(url.pathname) ?? []
    const known = API_QUERIES[what === 'executions' && id !== undefined ? 'execution' : what]
    if (known === undefined) return say(response, 404, { message: 'not found' })
    const strange = [...url.searchParams.keys()].find((name) => !known.includes(name))
    if (strange !== undefined) return say(response, 400, { message: `Unknown query parameter '${strange}'` })
    if (what === 'workflows') return listWorkflows(response, url.searchParams)
    if (state.blind) return say(response, 403, { message: 'Forbidden' })
    if (id !== undefined) {
      const found = executions.find((one) => String(one.id) === id)
      return found === undefined
        ? say(response, 404, { message: 'Not Found' })
        : say(response, 200, shownExecution(found))
    }
    const of = url.searchParams.get('workflowId')
    const data = executions.filter(({ workflowId }) => of === null || workflowId === of).toReversed()
    return say(response, 200, { data: data.map(shownExecution), nextCursor: null })
  }

  const shownExecution = ({ id, ...rest }: (typeof executions)[number]) => ({
    id: String(id),
    mode: 'webhook',
    ...rest,
  })

  function listWorkflows(response: ServerResponse, query: URLSearchParams): void {
    const limit = Number(query.get('limit') ?? 100)
    if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
      return say(response, 400, { message: `request/query/limit must be <= ${MOST}` })
    const tags = query.get('tags')?.split(',') ?? []
    const fits = workflows.filter(
      (one) =>
        (query.get('active') === null || String(one.active) === query.get('active')) &&
        tags.every((tag) => one.tags.some(({ name }) => name === tag)),
    )
    const from = Number(query.get('cursor') ?? 0)
    const size = Math.min(limit, pageSize)
    const data = fits.slice(from, from + size).map(({ run: _, slow: __, ...shown }) => shown)
    const nextCursor = from + size < fits.length ? String(from + size) : null
    say(response, 200, { data, nextCursor })
  }

  async function answerWebhook(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, way = '', path = ''] = /^\/(webhook|form|webhook-test)\/(.+)$/.exec(url.pathname) ?? []
    const found = way === 'webhook-test' ? undefined : findTrigger(way, path, request.method ?? '')
    if (found === undefined)
      return say(response, 404, {
        code: 404,
        message: `The requested webhook "${request.method} ${path}" is not registered.`,
        hint: 'The workflow must be active for a production URL to run successfully.',
      })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const { workflow, node, params } = found
    if (node.parameters['authentication'] === 'headerAuth' && request.headers['x-company'] !== 'secret')
      return say(response, 403, { code: 403, message: 'Authorization data is wrong!' })
    const failure = state.next.shift()
    const body: unknown = text === '' ? {} : JSON.parse(text)
    const query = Object.fromEntries(url.searchParams)
    const input: Fields = { body, query, params, headers: request.headers }
    state.ran.push({ workflow: workflow.id, method: request.method ?? '', query, body, headers: request.headers })
    if (failure === 'cut') return void request.socket.destroy()
    if (failure !== undefined)
      return void response.writeHead(failure, { 'content-type': 'text/html' }).end('<h1>Bad</h1>')
    const execution = begin(workflow, node, input)
    if ((node.parameters['responseMode'] ?? 'onReceived') === 'onReceived' && way === 'webhook')
      return say(response, 200, { message: 'Workflow was started' })
    const output = await execution
    if (output instanceof Error) return say(response, 500, { message: 'Error in workflow' })
    say(response, 200, output)
  }

  function findTrigger(way: string, path: string, method: string) {
    for (const workflow of workflows.filter(({ active }) => active))
      for (const node of workflow.nodes.filter(({ disabled }) => disabled !== true)) {
        const isForm = node.type === 'n8n-nodes-base.formTrigger'
        if (!(isForm || node.type === 'n8n-nodes-base.webhook') || isForm !== (way === 'form')) continue
        const said = String(node.parameters['path'])
        const full = said.includes(':') ? `${node.webhookId}/${said}` : said
        const form = new RegExp(`^${full.replaceAll(/:([a-zA-Z0-9_]+)/g, '(?<$1>[^/]+)')}$`)
        const params = form.exec(path)
        const wanted = isForm ? 'POST' : String(node.parameters['httpMethod'] ?? 'GET')
        if (params !== null && wanted === method) return { workflow, node, params: { ...params.groups } }
      }
    return undefined
  }

  async function begin(workflow: Workflow, node: Node, input: Fields): Promise<unknown> {
    const execution = {
      id: executions.length + 1000,
      workflowId: workflow.id,
      status: 'running',
      startedAt: new Date().toISOString(),
      data: { resultData: { runData: { [node.name]: [{ data: { main: [[{ json: input }]] } }] } } } as Fields,
    }
    executions.push(execution)
    await new Promise((resolve) => setTimeout(resolve, workflow.slow ?? 0))
    const runData = { ...(execution.data['resultData'] as { runData: Fields }).runData }
    try {
      const output = workflow.run?.(input) ?? {}
      const items = (Array.isArray(output) ? output : [output]).map((json: unknown) => ({ json }))
      execution.data = {
        resultData: { runData: { ...runData, Last: [{ data: { main: [items] } }] }, lastNodeExecuted: 'Last' },
      }
      execution.status = 'success'
      return output
    } catch (thrown) {
      execution.data = { resultData: { runData, error: { message: (thrown as Error).message } } }
      execution.status = 'error'
      return thrown
    }
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://n8n')
    if (url.pathname.startsWith('/api/')) return answerApi(request, response, url)
    void answerWebhook(request, response, url)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    workflows,
    apiHeaders,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
