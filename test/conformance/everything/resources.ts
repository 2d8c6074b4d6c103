/**
 * Resources of the everything server: text, bytes, one to watch, and a template.
 *
 * An unknown URI is answered by the SDK with -32602 and the URI, as SEP-2164 requires.
 */
import { ResourceTemplate } from '@modelcontextprotocol/server'
import type { McpServer } from '@modelcontextprotocol/server'
import { PNG } from './samples.ts'

/** Adds the resources. Their content never changes. */
export function registerResources(server: McpServer): void {
  registerText(server, 'static-text', 'test://static-text', 'This is the content of the static text resource.')
  registerText(server, 'watched-resource', 'test://watched-resource', 'Watch me.')
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'A picture', mimeType: 'image/png' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'image/png', blob: PNG }] }),
  )
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'One record for each id', mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  )
}

function registerText(server: McpServer, name: string, address: string, content: string): void {
  server.registerResource(name, address, { description: `The text ${name}`, mimeType: 'text/plain' }, () => ({
    contents: [{ uri: address, mimeType: 'text/plain', text: content }],
  }))
}
