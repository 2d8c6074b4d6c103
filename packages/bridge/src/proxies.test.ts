import { describe, expect, test } from 'vitest'
import { proxiesFor } from './proxies.ts'

const FAR = new URL('https://tools.example.com/mcp')
const SET = { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'internal', OTHER: 'x' }

describe('a proxy of the environment', () => {
  test.each(['24.5.0', '24.21.0', '26.0.0', '22.21.1'])('is handed to Node %s, and nothing else is', (node) => {
    const { proxies, warning } = proxiesFor(FAR, SET, node)
    expect(warning).toBeUndefined()
    expect(proxies).toEqual({ HTTPS_PROXY: SET.HTTPS_PROXY, NO_PROXY: 'internal' })
  })

  test.each(['20.20.2', '22.20.0', '24.4.1'])('that Node %s cannot use is said', (node) => {
    expect(proxiesFor(FAR, SET, node)).toEqual({
      proxies: undefined,
      warning: `HTTPS_PROXY is set, but Node ${node} cannot use it: start the bridge with Node 24.5 or later.`,
    })
  })

  test('is not asked for this machine, nor for the other kind of address', () => {
    const none = { proxies: undefined, warning: undefined }
    expect(proxiesFor(new URL('https://localhost:8787'), SET, '20.0.0')).toEqual(none)
    expect(proxiesFor(new URL('http://tools.example.com'), SET, '20.0.0')).toEqual(none)
    expect(proxiesFor(FAR, { HTTPS_PROXY: '' }, '20.0.0')).toEqual(none)
  })
})
