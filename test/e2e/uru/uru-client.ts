/**
 * The requests of the published package `uru-mcp` (source system, sections 1.3 to 1.5), as a client of its own making: what it asks,
 * with which headers, and which forms of answers it takes. It keeps nothing between requests.
 */
export interface Namespace {
  readonly name: string
  readonly displayName: string
  readonly connected_account_id: string | null
  readonly server_id: string | null
  readonly account_label: string | null
  readonly connection_status: string
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export interface Executed {
  readonly data: unknown
  readonly successful: boolean
  readonly error: string | null
  readonly log_id: string
}

export interface Tool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: { readonly type: string }
}

/** The error that the package gives its client for a refused request (section 1.5). */
export const CODE_OF: Readonly<Record<number, number>> = { 400: -32_602, 401: -32_001, 403: -32_002, 404: -32_601 }

export function createUruClient(proxy: string, key: string) {
  const ask = async (
    path: string,
    init: { headers?: Record<string, string>; body?: object } = {},
  ): Promise<Answered> => {
    const { headers = {}, body } = init
    const answer = await fetch(`${proxy}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

  return {
    ask,
    async apps(): Promise<string[]> {
      const { body } = await ask('/list/apps')
      if (!Array.isArray(body)) throw new Error('Invalid apps response from proxy - expected array')
      return body.map((app: unknown) => {
        if (typeof app === 'string') return app
        const { name } = app as { name?: unknown }
        if (typeof name !== 'string') throw new Error('Invalid app format')
        return name
      })
    },
    async tools(app: string): Promise<Tool[]> {
      const { body } = await ask(`/list/apps/${encodeURIComponent(app)}/tools`)
      const tools = Array.isArray(body) ? body : (body as { tools?: unknown }).tools
      if (!Array.isArray(tools)) throw new Error('Invalid tools response from proxy')
      return tools as Tool[]
    },
    async namespaces(): Promise<Namespace[]> {
      const { body } = await ask('/namespaces')
      const { namespaces } = body as { namespaces?: unknown }
      if (!Array.isArray(namespaces)) throw new Error('Invalid namespaces response from proxy')
      return namespaces as Namespace[]
    },
    /** As it calls a tool of a namespace: the account goes in the body and in headers. */
    async execute(slug: string, parameters: object, namespace?: Partial<Namespace>) {
      const { name, connected_account_id: account, server_id: server } = namespace ?? {}
      const routed =
        account === undefined || account === null
          ? {}
          : {
              _connected_account_id: account,
              ...(server === undefined || server === null ? {} : { _server_id: server }),
            }
      const answer = await ask(`/execute/${encodeURIComponent(slug)}`, {
        body: { ...parameters, ...(name === undefined ? {} : { _app_context: name }), ...routed },
        headers: {
          ...(name === undefined ? {} : { 'x-app-context': name }),
          ...(account === undefined || account === null ? {} : { 'x-connected-account-id': account }),
          ...(account === undefined || account === null || !server ? {} : { 'x-server-id': server }),
        },
      })
      return { ...answer, code: CODE_OF[answer.status], result: answer.body as Executed & { code?: string } }
    },
  }
}
