import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { logoOfClient, logoOfConnection, logoOfService, logosThatCanBeAsked } from './logo-of.ts'

const remote = (url: string | null) => logoOfConnection({ connector: 'mcp.http', url })

test('a logo follows from the connector of the product or from the host, and from nothing else', () => {
  expect(remote('https://mcp.linear.app/mcp')).toBe('linear')
  expect(remote('https://api.githubcopilot.com/mcp/')).toBe('github')
  expect(remote('https://linear.app.example.com/mcp')).toBeUndefined()
  expect(remote('https://notlinear.app/mcp')).toBeUndefined()
  expect(remote('https://constructor/mcp')).toBeUndefined()
  expect(remote('nonsense')).toBeUndefined()
  expect(remote(null)).toBeUndefined()
  const native = (supplied: boolean) =>
    logoOfConnection({ connector: 'native', url: 'https://api.github.com', native: { vendor: 'github', supplied } })
  expect(native(false)).toBe('github')
  expect(native(true)).toBeUndefined()
  expect(logoOfService('google_docs')).toBe('googledocs')
  expect(logoOfService('filesystem')).toBeUndefined()
  expect(logoOfClient('chatgpt')).toBe('openai')
})

test('every logo that can be asked for is in the file of logos', () => {
  const drawn = readFileSync(join(import.meta.dirname, 'logos.svg'), 'utf8')
  const ids = [...drawn.matchAll(/<symbol id="([^"]+)"/g)].map(([, id]) => id)
  const asked = logosThatCanBeAsked()
  expect(asked.length).toBeGreaterThan(50)
  expect(asked.filter((logo) => !ids.includes(logo))).toEqual([])
})
