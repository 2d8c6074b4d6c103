/** The gateway serves the page where the console has a screen: both lists say the same. */
import { readFileSync } from 'node:fs'
import { CONSOLE_PAGES } from '@toolway/contract'
import { expect, test } from 'vitest'

test('every screen has an address at which the gateway serves the page, and no other address has', () => {
  const text = readFileSync(new URL('routes.tsx', import.meta.url), 'utf8')
  const paths = [...text.matchAll(/screen\(\s*'(\/[^']*)'/g)].map(([, path = '']) => path.replaceAll('$', ':'))
  expect(paths.toSorted()).toEqual([...CONSOLE_PAGES].toSorted())
})
