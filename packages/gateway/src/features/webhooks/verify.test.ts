import { expect, test } from 'vitest'
import { newWebhookSecret, signedHeaders } from './signature.ts'
import { isFresh, isSignedBy } from './verify.ts'

const NOW = Date.parse('2026-11-22T08:00:00Z')
const BODY = JSON.stringify({ approval: 'apr_1', answer: 'grant', note: 'schön' })
function sign(secrets: string[], body = BODY) {
  const headers = signedHeaders({ id: 'msg_1', at: new Date(NOW), body }, secrets)
  return {
    id: 'msg_1',
    timestamp: headers['webhook-timestamp'] ?? '',
    signature: headers['webhook-signature'] ?? '',
    body: Buffer.from(body),
  }
}

test('what we sign ourselves is signed, by either secret while one is turned', () => {
  const [one, other] = [newWebhookSecret(), newWebhookSecret()]
  const message = sign([one, other])
  expect([isSignedBy(message, one), isSignedBy(message, other), isSignedBy(message, newWebhookSecret())]).toEqual([
    true,
    true,
    false,
  ])
})

test('another id, second, byte or form is not', () => {
  const secret = newWebhookSecret()
  const good = sign([secret])
  for (const wrong of [
    { ...good, id: 'msg_2' },
    { ...good, timestamp: String(Number(good.timestamp) + 1) },
    { ...good, body: Buffer.from(BODY.replace('grant', 'Grant')) },
    { ...good, signature: good.signature.replace('v1,', 'v1a,') },
    { ...good, signature: good.signature.slice(0, -4) },
    { ...good, signature: '' },
    // Only so many are looked at.
    { ...good, signature: `${'v1,AAAA '.repeat(10)}${good.signature}` },
  ])
    expect(isSignedBy(wrong, secret)).toBe(false)
})

test('it is fresh within five minutes of our clock, and of a form that is a second', () => {
  const seconds = NOW / 1000
  const fresh = (timestamp: string) => isFresh({ timestamp }, NOW)
  expect([seconds, seconds - 300, seconds + 300].map((at) => fresh(String(at)))).toEqual([true, true, true])
  expect([seconds - 301, seconds + 301].map((at) => fresh(String(at)))).toEqual([false, false])
  for (const odd of ['', '1e9', 'NaN', `${seconds}.5`, `-${seconds}`, ` ${seconds}`]) expect(fresh(odd)).toBe(false)
})
