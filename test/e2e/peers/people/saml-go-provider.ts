/** The SAML identity provider of crewjam/saml (`saml-go/main.go`) in a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const PATIENCE = 30_000

export async function startSamlProviderOfGo(program: string) {
  const child = spawn(program, [], { stdio: ['ignore', 'pipe', 'ignore'], env: {} })
  const [line] = (await once(createInterface(child.stdout), 'line', {
    signal: AbortSignal.timeout(PATIENCE),
  })) as [string]
  const { address } = JSON.parse(line) as { address: string }
  const post = async (path: string, body: string) => {
    const { status } = await fetch(`${address}${path}`, { method: 'POST', body })
    if (status !== 200) throw new Error(`${path} answers ${status}`)
  }
  return {
    metadata: async () => (await fetch(`${address}/metadata`)).text(),
    /** The metadata of a service provider. */
    enter: (metadata: string) => post('/service-provider', metadata),
    is: (person: object) => post('/person', JSON.stringify(person)),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
