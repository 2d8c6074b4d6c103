/** The gateway serves the page where the console has a screen: both lists say the same. */
import { readFileSync } from 'node:fs'
import { CONSOLE_PLACES } from '@toolway/contract'
import { expect, test } from 'vitest'

test('every screen has an address at which the gateway serves the page, and no other address has', () => {
  const text = readFileSync(new URL('routes.tsx', import.meta.url), 'utf8')
  const paths = [...text.matchAll(/screen\(\s*'(\/[^']*)'/g)].map(([, path = '']) => path)
  // Where a source system's clients are led back to; the rest of that name is the authorization server's.
  const alone = ['/oauth/success']
  const places = new Set(
    paths
      .filter((path) => !alone.includes(path))
      .map((path) => path.split('/')[1] ?? '')
      .filter((place) => place !== ''),
  )
  expect([...places].sort()).toEqual([...CONSOLE_PLACES].sort())
})
