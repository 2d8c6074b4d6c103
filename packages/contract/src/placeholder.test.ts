import { expect, test } from 'vitest'
import { isPlaceholder } from './placeholder.ts'

test.each([
  '',
  '  ',
  'your-client-id',
  'YOUR_GITHUB_CLIENT_SECRET',
  'changeme',
  'change-me',
  '<client id>',
  '${GITHUB_CLIENT_ID}',
  'xxxxxxxx',
  'placeholder',
  'example',
  'client_secret_here',
  '••••abcd',
  '********',
  'none',
])('%j is a placeholder', (text) => {
  expect(isPlaceholder(text)).toBe(true)
})

test.each([
  'Iv1.8a61f9b3a7aba766',
  'x',
  'xoxb-1',
  'yourcompany.apps.example.com',
  'a'.repeat(3) + 'b',
  '0123456789abcdef',
])('%j is none, unless it is one character over and over', (text) => {
  expect(isPlaceholder(text)).toBe(text === 'x')
})
