import { expect, test } from 'vitest'
import { texts } from '../../../texts/texts.ts'
import { startMendOf } from './start-mend.ts'

const { certificate, notFetched, registry } = texts.connect.start.mends

test.each([
  ['npm http fetch GET https://npm.example/x attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN', certificate],
  ['npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY', certificate],
  ['error: invalid peer certificate: UnknownIssuer', certificate],
  ['npm error code E404', registry],
  ['npm error code ECONNREFUSED', registry],
  ['ERROR: No matching distribution found for x (from pip)', registry],
  ['Error: connect ECONNREFUSED 127.0.0.1:5432', undefined],
  ['npm error code ENOTCACHED', notFetched],
  ['API_KEY is required', undefined],
])('what helps with %s', (problem, mend) => {
  expect(startMendOf(`The connection x is not available. It said: ${problem}`)).toBe(mend)
})
