/** The gateway's metrics, read as an operator reads them. */
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'

/** A number of `/metrics` that has no labels. */
export async function gauge({ address, key }: Pick<TestGateway, 'address' | 'key'>, name: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${key}` } })).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}
