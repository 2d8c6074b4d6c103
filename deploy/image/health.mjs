/** Health check of the image: ends with 0 while the gateway takes requests, at the address that it noted or at its port. */
import { readFile } from 'node:fs/promises'

try {
  const { TOOLWAY_DATA: data, TOOLWAY_PORT: port = '8787' } = process.env
  const address = await readFile(`${data}/address`, 'utf8').catch(() => `http://127.0.0.1:${port}`)
  const answer = await fetch(new URL('/health/ready', address.trim()), { signal: AbortSignal.timeout(4_000) })
  if (!answer.ok) throw new Error(`/health/ready answers ${answer.status}`)
} catch (thrown) {
  console.error(thrown.message)
  process.exitCode = 1
}
