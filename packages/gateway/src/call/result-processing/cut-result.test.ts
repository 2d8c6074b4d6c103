import { describe, expect, test } from 'vitest'
import { cutResult } from './cut-result.ts'

const text = (value: string) => ({ type: 'text', text: value })
const LIMIT = 1_000

describe('the result of a tool', () => {
  test('goes on as it is while its text is short enough', () => {
    for (const content of [[text('x'.repeat(LIMIT))], [text('ü'.repeat(LIMIT / 2))], [text('a'), text('b')], []]) {
      const result = { content }
      expect(cutResult(result, LIMIT)).toBe(result)
    }
    expect(cutResult({ structuredContent: { a: 1 } }, LIMIT)).toEqual({ structuredContent: { a: 1 } })
  })

  test('is cut where its text is longer, and says so and how long it was', () => {
    const { content } = cutResult({ content: [text('x'.repeat(5_000))] }, LIMIT) as { content: { text: string }[] }
    expect(content).toHaveLength(1)
    expect(content[0]?.text).toMatch(/^x{800}\n\n\[Truncated by Toolway: .*5000 bytes.*1000.*\]$/)
    expect(Buffer.byteLength(content[0]?.text ?? '')).toBeLessThanOrEqual(LIMIT)
  })

  test('keeps its structured content, its images and its error flag whole', () => {
    const structuredContent = { rows: Array.from({ length: 500 }, (_, at) => ({ at })) }
    const image = { type: 'image', data: 'x'.repeat(9_000), mimeType: 'image/png' }
    const given = { content: [image, text(JSON.stringify(structuredContent)), image], structuredContent, isError: true }
    const cut = cutResult(given, LIMIT)
    expect(cut['structuredContent']).toBe(structuredContent)
    expect(cut['isError']).toBe(true)
    expect((cut['content'] as unknown[])[0]).toBe(image)
    expect((cut['content'] as unknown[])[2]).toBe(image)
  })

  test('is cut between characters, and texts after the cut are left out', () => {
    const { content } = cutResult({ content: [text('a'), text('😀'.repeat(400)), text('later')] }, LIMIT) as {
      content: { text: string }[]
    }
    expect(content).toHaveLength(2)
    expect(content[1]?.text).toMatch(/^(😀)+\n\n\[Truncated/u)
    expect(content[1]?.text.isWellFormed()).toBe(true)
  })
})
