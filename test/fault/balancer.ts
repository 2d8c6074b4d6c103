/**
 * A TCP balancer as operators have them: round robin among those whose last health look was good, no retry, no idea of HTTP
 * beyond `GET /health/ready`.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Balancer extends AsyncDisposable {
  readonly address: string
  add(address: string): Promise<void>
  remove(address: string): void
}

interface Target {
  readonly address: string
  good: boolean
}

/** `every`: milliseconds between two health looks. */
export async function startBalancer(every: number): Promise<Balancer> {
  const targets = new Set<Target>()
  const sockets = new Set<Socket>()
  let turn = 0

  async function look(target: Target): Promise<void> {
    const answer = fetch(`${target.address}/health/ready`, { signal: AbortSignal.timeout(2_000) })
    target.good = await answer.then(
      (response) => response.ok,
      () => false,
    )
  }
  const looks = setInterval(() => {
    for (const target of targets) void look(target)
  }, every)

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const good = [...targets].filter((target) => target.good)
    const chosen = good[turn++ % Math.max(good.length, 1)]
    if (chosen === undefined) return void client.destroy()
    const { hostname, port } = new URL(chosen.address)
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy()).once('close', () => sockets.delete(one))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(address) {
      const target = { address, good: false }
      await look(target)
      targets.add(target)
    },
    remove(address) {
      for (const target of targets) if (target.address === address) targets.delete(target)
    },
    async [Symbol.asyncDispose]() {
      clearInterval(looks)
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
