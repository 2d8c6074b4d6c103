import { expect, test } from 'vitest'
import { createReachMask } from './reach-mask.ts'

test.each([
  ['as it was meant', 'no such key: s3cret/of+mine'],
  ['as it was sent', 'GET /mcp?key=s3cret%2Fof%2Bmine&x=1 is refused'],
])('a secret in the query of an address is not shown, %s', (_, said) => {
  const mask = createReachMask(new URL('https://example.com/mcp?key=s3cret%2Fof%2Bmine&x=1'), {})
  expect(mask(said)).toContain('[key]')
  expect(mask(said)).not.toContain('s3cret')
})

test('each of several of one name is kept', () => {
  const mask = createReachMask(new URL('https://example.com/?key=s3cret-first&key=s3cret-second'), {})
  expect(mask('s3cret-first, s3cret-second')).toBe('[key], [key]')
})

test('a credential is shown neither with its scheme nor without, however it is encoded', () => {
  const mask = createReachMask(new URL('https://example.com/'), { authorization: 'Bearer top+secret/word==' })
  for (const said of ['Bearer top+secret/word==', 'top+secret/word==', 'top%2Bsecret%2Fword%3D%3D'])
    expect(mask(`what is ${said}?`)).not.toContain('secret')
})
