/**
 * A stdio server that reads files, as its arguments and its calls name them. With `--fetch=ADDRESS` it starts only if that address
 * answers. A fixture: nothing here runs when imported by a test.
 */
import { readFileSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const address = process.argv.find((word) => word.startsWith('--fetch='))?.slice('--fetch='.length)
if (
  address !== undefined &&
  !(await fetch(address).then(
    ({ ok }) => ok,
    () => false,
  ))
) {
  console.error('npm error code E403')
  process.exit(1)
}

function read(path: string) {
  try {
    return { content: [{ type: 'text' as const, text: readFileSync(path, 'utf8') }] }
  } catch (thrown) {
    return { isError: true, content: [{ type: 'text' as const, text: String(thrown) }] }
  }
}

serveStdio(() => {
  const server = new Server({ name: 'reader', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'read', inputSchema: { type: 'object' as const } }],
  }))
  server.setRequestHandler('tools/call', ({ params }) => read(String(params.arguments?.['path'])))
  return server
})
