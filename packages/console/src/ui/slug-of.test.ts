import { expect, test } from 'vitest'
import { slugOf } from './slug-of.ts'

test.each([
  ['Sales & Support', 'sales-support'],
  ['Über uns', 'uber-uns'],
  ['2nd line', 'nd-line'],
  ['  ', ''],
  ['a'.repeat(60), 'a'.repeat(39)],
  [`${'a'.repeat(38)} b`, 'a'.repeat(38)],
])('%s becomes %s', (title, slug) => expect(slugOf(title)).toBe(slug))
