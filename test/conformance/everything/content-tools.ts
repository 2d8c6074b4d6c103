/**
 * Tools that return each content kind, one tool per kind, with the names the conformance suites call.
 *
 * `test_simple_text` is registered first: the header suite calls the first listed tool with no arguments.
 */
import type { McpServer } from '@modelcontextprotocol/server'
import { PNG, text, WAV } from './samples.ts'

/** Adds the tools that need nothing and answer at once. */
export function registerContentTools(server: McpServer): void {
  server.registerTool('test_simple_text', { description: 'Answers with one text block' }, () =>
    text('This is a simple text response for testing.'),
  )
  server.registerTool('test_image_content', { description: 'Answers with a PNG' }, () => ({
    content: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
  }))
  server.registerTool('test_audio_content', { description: 'Answers with a WAV' }, () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }))
  server.registerTool('test_embedded_resource', { description: 'Answers with an embedded resource' }, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }))
  server.registerTool(
    'test_multiple_content_types',
    { description: 'Answers with text, an image and a resource' },
    () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    }),
  )
  server.registerTool('test_error_handling', { description: 'Always fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
}
