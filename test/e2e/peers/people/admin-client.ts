/** A client of the admin interface: one request, its status and its answer. */
export interface Told {
  readonly status: number
  readonly headers: Headers
  // eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any
}

export const createAdminClient =
  (address: string, bearer?: string) =>
  async (operation: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`, body?: unknown): Promise<Told> => {
    const [method, path = ''] = operation.split(' ')
    const response = await fetch(new URL(path, address), {
      method: method ?? 'GET',
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
