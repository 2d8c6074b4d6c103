/** A gateway in this process whose connections have been contacted and are listed: what most stories begin with. */
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import type { TestConnection, TestGateway, TestGatewayOptions } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask } from './clients/raw-client.ts'
import { until } from './until.ts'

/** Starts it and waits until every connection that is switched on lists what it offers. */
export async function openGateway(options: TestGatewayOptions): Promise<TestGateway> {
  const gateway = await startTestGateway(options)
  try {
    const expected = (options.connections ?? []).filter(({ enabled }) => enabled !== false)
    await Promise.all(expected.map((connection) => listed(gateway, connection)))
    return gateway
  } catch (thrown) {
    await gateway[Symbol.asyncDispose]()
    throw thrown
  }
}

async function listed(gateway: TestGateway, { alias }: TestConnection): Promise<void> {
  const { status, reason } = await gateway.settled(alias)
  if (status !== 'connected') throw new Error(`${alias} is ${status}: ${reason}`)
  await until(
    `${alias} lists its tools`,
    async () => (await toolNames(gateway, gateway.connectionUrl(alias))).length > 0,
  )
}

/** The first page of an endpoint's tools, by name, as a modern client sees it. */
export async function toolNames({ key }: Pick<TestGateway, 'key'>, url: string): Promise<string[]> {
  const { answer } = await ask({ url, key, era: 'modern' }, 'tools/list')
  const tools = answer.result?.['tools'] as { name: string }[] | undefined
  return (tools ?? []).map(({ name }) => name)
}
