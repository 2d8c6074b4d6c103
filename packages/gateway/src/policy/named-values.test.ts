/** The arguments of a call that are stored in its record, so that rules can be evaluated again. */
import { describe, expect, test } from 'vitest'
import { testRule } from '../testing/rules.ts'
import { argumentsFrom, isKnown, keepValues, keptPaths } from './named-values.ts'

const clamp = (parameter: string) => testRule({ action: 'clamp', parameters: { parameter, max: 5 } })

describe('what is kept of arguments', () => {
  test('is what rules name, and nothing else', () => {
    const rules = [
      clamp('limit'),
      testRule({ action: 'block', match: { when: 'args.mode == "all" && has(args.deep.owner)', parameter: 'force' } }),
    ]
    const args = { limit: 7, mode: 'all', force: true, other: 'not named', deep: { owner: null, more: 1 } }
    const kept = keepValues(keptPaths(rules), args)
    expect(kept).toEqual({ values: { limit: 7, force: true, mode: 'all', 'deep.owner': null } })
    expect(argumentsFrom(kept ?? {})).toEqual({ limit: 7, force: true, mode: 'all', deep: { owner: null } })
  })

  test('is never long, never a part of a list, never redacted, and never what its name calls a secret', () => {
    const rules = [
      ...['long', 'list', 'items.*.amount', 'address', 'password', 'auth.api_key', 'a\\.b'].map(clamp),
      testRule({ action: 'size', parameters: { result: { redact: ['address'] } } }),
      testRule({ action: 'block', match: { when: 'size(args) > 3' } }),
    ]
    const paths = keptPaths(rules)
    expect(paths.map(({ text }) => text)).toEqual(['long', 'list', 'a\\.b'])
    const args = {
      ...{
        long: 'x'.repeat(65),
        list: [1],
        items: [{ amount: 1 }],
        address: 'a',
        password: 'b',
        auth: { api_key: 'c' },
      },
      'a.b': 1,
    }
    expect(keepValues(paths, args)).toEqual({ values: { 'a\\.b': 1 } })
  })

  test('says also where nothing stood, which is not the same as not knowing', () => {
    const kept = keepValues(keptPaths([clamp('limit'), clamp('note')]), { note: 'x'.repeat(65) }) ?? {}
    expect(kept).toEqual({ absent: ['limit'] })
    expect([isKnown(kept, ['limit']), isKnown(kept, ['note'])]).toEqual([true, false])
  })

  test('is bounded, however many places are named', () => {
    expect(keptPaths(Array.from({ length: 100 }, (_, at) => clamp(`p${at}`)))).toHaveLength(16)
  })
})
