/** GitHub's repositories of a user, as its REST reference describes them: for whoever brings the token, and for nobody else. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface GitHub extends AsyncDisposable {
  readonly url: string
  /** Method and path of each request, in order. */
  readonly asked: readonly string[]
}

const REPOSITORY = {
  id: 1,
  name: 'shop',
  full_name: 'acme/shop',
  private: true,
  html_url: 'https://github.com/acme/shop',
}

export async function startGitHub(token: string): Promise<GitHub> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://github')
    const say = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    asked.push(`${request.method} ${pathname}`)
    if (request.headers.authorization !== `Bearer ${token}`) return say(401, { message: 'Bad credentials' })
    if (request.method !== 'GET' || pathname !== '/user/repos') return say(404, { message: 'Not Found' })
    say(200, [REPOSITORY])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
