/**
 * A receiver of messages of webhooks and record streams: a real HTTP server that keeps what came with the process that sent it, and
 * can leave one request without an answer until its sender is gone. The process is found by its socket (Linux).
 */
import { once } from 'node:events'
import { readFile, readlink, readdir } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Message {
  /** The header `webhook-id`: the same each time a message is sent again. */
  readonly id: string
  readonly body: string
  /** The local port of the sender. */
  readonly port: number
}

export interface JobReceiver extends AsyncDisposable {
  readonly url: string
  readonly got: readonly Message[]
  /** Leaves the next message without an answer; resolves when it is there. */
  hold(): Promise<Message>
}

export async function startJobReceiver(): Promise<JobReceiver> {
  const got: Message[] = []
  let held: ((message: Message) => void) | undefined
  const server = createServer((request, response) => {
    void messageOf(request).then((message) => {
      got.push(message)
      const hold = held
      held = undefined
      if (hold === undefined) response.writeHead(204).end()
      else hold(message)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    got,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    hold: () => new Promise((resolve) => (held = resolve)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function messageOf(request: IncomingMessage): Promise<Message> {
  const port = request.socket.remotePort ?? 0
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return { id: String(request.headers['webhook-id']), body: Buffer.concat(chunks).toString(), port }
}

const addressOf = (port: number) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`

/** Which of some processes has a connection from a local port of 127.0.0.1 to the server at an address there. */
export async function ownerOf(port: number, server: string, pids: readonly number[]): Promise<number> {
  const [local, remote] = [addressOf(port), addressOf(Number(new URL(server).port))]
  for (const pid of pids) {
    const lines = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
    const inode = lines.find(([, from, to]) => from === local && to === remote)?.[9]
    const files = await readdir(`/proc/${pid}/fd`)
    const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')))
    if (links.includes(`socket:[${inode}]`)) return pid
  }
  throw new Error(`none of the processes ${pids.join(', ')} has the port ${port}`)
}
