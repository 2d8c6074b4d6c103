/**
 * The smallest honest samples of each content kind, as the conformance suites ask for them.
 *
 * Fixture only: nothing here decides anything, and nothing here is read by the product.
 */
import type { CallToolResult } from '@modelcontextprotocol/server'

/** One red pixel, a whole PNG. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** A WAV file with a header and no samples. */
export const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

/** A finished tool result with one text block. */
export function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] }
}
