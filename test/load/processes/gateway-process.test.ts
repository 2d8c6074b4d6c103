import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startGateway } from './gateway-process.ts'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'

/** Starts `source` in place of the gateway's main file. */
async function startedFrom(source: string) {
  const folder = mkdtempSync(join(tmpdir(), 'toolway-main-'))
  const main = join(folder, 'main.mjs')
  writeFileSync(main, source)
  const port = await freePort()
  const gateway = startGateway({
    main,
    upstreams: { stub: { url: 'http://127.0.0.1:9/mcp', revision: '2026-07-28' } },
    port,
    core: undefined,
    profileTo: undefined,
  })
  return {
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

const answering = `
  import { createServer } from 'node:http'
  const key = process.env.TOOLWAY_BOOTSTRAP_KEY
  createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      if (request.url === '/health/ready') return response.end()
      if (request.headers.authorization !== 'Bearer ' + key) return response.writeHead(401).end()
      const { id, params } = JSON.parse(body)
      const result = { resultType: 'complete', content: [{ type: 'text', text: params.arguments.text }] }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  }).listen(Number(process.env.TOOLWAY_PORT), process.env.TOOLWAY_HOST)`

describe('the gateway under measurement', () => {
  test('is ready once both endpoints answer a call, and leaves nothing behind', async () => {
    const setup = await startedFrom(answering)
    const { gateway } = setup
    await gateway.ready()
    expect(readFileSync(join(gateway.folder, 'toolway.yaml'), 'utf8')).toContain('"url":"http://127.0.0.1:9/mcp"')
    await setup[Symbol.asyncDispose]()
    expect(existsSync(gateway.folder)).toBe(false)
    expect(() => process.kill(gateway.pid, 0)).toThrow('ESRCH')
  })

  test('that ends at once fails with the end of its log, without the key', async () => {
    await using setup = await startedFrom(`
      console.error('no database here, key', process.env.TOOLWAY_BOOTSTRAP_KEY)
      process.exit(3)`)
    const failure = await setup.gateway.ready().catch(String)
    expect(failure).toContain('it ended (3)')
    expect(failure).toContain('no database here, key uru_…')
    expect(failure).not.toContain(setup.gateway.single.key)
  })
})
