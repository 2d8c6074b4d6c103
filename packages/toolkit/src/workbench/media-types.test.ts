import { expect, test } from 'vitest'
import { mediaTypeOf } from './media-types.ts'

test('the ending of a name says the media type, and an ending that is none says nothing', () => {
  expect(mediaTypeOf('/a/Report.PDF')).toBe('application/pdf')
  for (const name of ['notes', 'x.constructor', 'x.__proto__', 'x.hasOwnProperty', 'x.'])
    expect(mediaTypeOf(name), name).toBe('application/octet-stream')
})
