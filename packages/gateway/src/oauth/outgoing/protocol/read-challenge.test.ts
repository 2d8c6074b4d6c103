import { describe, expect, test } from 'vitest'
import { readChallenge } from './read-challenge.ts'

const METADATA = 'https://a.example/.well-known/oauth-protected-resource'
const nothing = { resourceMetadata: undefined, scope: undefined, error: undefined }

describe('the challenge of a server', () => {
  test.each([
    ['Bearer', nothing],
    [`Bearer resource_metadata="${METADATA}"`, { ...nothing, resourceMetadata: METADATA }],
    [
      `bearer Resource_Metadata = "${METADATA}" , SCOPE="a b"`,
      { ...nothing, resourceMetadata: METADATA, scope: 'a b' },
    ],
    ['Bearer realm="a, Basic realm=\\"x\\"", error="invalid_token"', { ...nothing, error: 'invalid_token' }],
    ['Basic realm="x", Bearer scope=read', { ...nothing, scope: 'read' }],
    [
      'DPoP algs="ES256", error="no", Bearer error="insufficient_scope", scope="w"',
      { ...nothing, error: 'insufficient_scope', scope: 'w' },
    ],
    ['Negotiate abc==, Bearer scope="first", scope="second"', { ...nothing, scope: 'first' }],
    ['Bearer scope="never ends', { ...nothing }],
    ['Bearer ==;;,,"" scope="a"', { ...nothing, scope: 'a' }],
  ])('is read from %s', (header, expected) => expect(readChallenge(header)).toMatchObject(expected))

  test.each([undefined, '', '   ', 'Basic realm="Bearer"', ',,,', '"Bearer"x'])('is none in %j', (header) =>
    expect(readChallenge(header)?.resourceMetadata).toBeUndefined(),
  )

  test('is read in time that does not grow with what is odd in it', () => {
    const odd = `Bearer ${'a="'.repeat(200_000)}`
    expect(readChallenge(odd)).toBeDefined()
  })
})
