/** Which operations give access that outlives their caller's credential: each that could says so. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from './operations.ts'

const CHANGING = OPERATIONS.map(({ operation }) => operation).filter(
  ({ method, harmless, reads }) => method !== 'GET' && !harmless && !reads,
)
/** Members of an answer that let somebody in. */
const SECRETS = ['key', 'secret', 'client_secret', 'invitation', 'access_token', 'refresh_token']
/** Callers of these prove their identity with a password, a code or a token of this gateway: nobody vouches for them. */
const OF_ANYONE = CHANGING.filter(({ needs }) => needs.of === 'anyone')

test.each(CHANGING.filter((one) => !OF_ANYONE.includes(one)).map((operation) => [operation.id, operation] as const))(
  'an operation whose answer contains a secret is lasting: %s',
  (_, { answer, lasting }) => {
    const { properties = {} } = z.toJSONSchema(answer, { unrepresentable: 'any', io: 'output' })
    if (SECRETS.some((name) => Object.hasOwn(properties, name))) expect(lasting).toBe(true)
  },
)

test('operations about keys and people are lasting unless they take something away', () => {
  const about = CHANGING.filter(
    ({ needs, method }) =>
      (needs.of === 'organization' || needs.of === 'platform') &&
      (needs.permission === 'key_manage' || needs.permission === 'user_manage') &&
      method !== 'DELETE',
  )
  expect(about.length).toBeGreaterThan(10)
  expect(about.filter(({ lasting }) => !lasting).map(({ id }) => id)).toEqual([])
})

test.each(['setAgentModel', 'putOAuthApp', 'addWebhook', 'addRecordStream'])(
  'an operation that says where data or sign-ins of all members go is lasting: %s',
  (id) => {
    const found = CHANGING.find((operation) => operation.id === id)
    expect(found?.lasting).toBe(true)
  },
)
