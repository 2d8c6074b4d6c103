import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { newWebhookSecret, signedHeaders } from './signature.ts'

const MESSAGE = {
  id: 'msg_loFOjxBNrRLzqYUf',
  at: new Date(1_731_705_121_900),
  body: '{"event_type":"ping","data":{"success":true}}',
}

test('a message is signed as the specification’s own example is', () => {
  expect(signedHeaders(MESSAGE, ['whsec_plJ3nmyCDGBKInavdOK15jsl'])).toEqual({
    'webhook-id': 'msg_loFOjxBNrRLzqYUf',
    'webhook-timestamp': '1731705121',
    'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  })
})

test('while a secret is turned both sign, each for itself', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()]
  const { 'webhook-signature': signature = '' } = signedHeaders(MESSAGE, secrets)
  const expected = secrets.map((secret) => {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const key = Buffer.from(secret.slice(6), 'base64')
    return `v1,${createHmac('sha256', key).update(`${MESSAGE.id}.1731705121.${MESSAGE.body}`).digest('base64')}`
  })
  expect(signature).toBe(expected.join(' '))
})
