/** A stdio child with resources that can be touched, in both eras, which remembers what it was subscribed to. A fixture. */
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const URIS = ['test://one', 'test://two']
const subscribed: string[] = []
const inputSchema = { type: 'object' as const, properties: { uri: { type: 'string' } } }
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

serveStdio(() => {
  const server = new Server(
    { name: 'watched', version: '1.0.0' },
    { capabilities: { tools: {}, resources: { subscribe: true } } },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: ['touch', 'subscribed', 'exit'].map((name) => ({ name, inputSchema })),
  }))
  server.setRequestHandler('resources/list', () => ({ resources: URIS.map((uri) => ({ uri, name: uri })) }))
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.push(`+${params.uri}`)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.push(`-${params.uri}`)
    return {}
  })
  server.setRequestHandler('tools/call', async ({ params }) => {
    if (params.name === 'exit') process.exit(3)
    if (params.name === 'subscribed') return text(subscribed.join(' '))
    await server.sendResourceUpdated({ uri: String(params.arguments?.['uri']) })
    return text('touched')
  })
  return server
})
