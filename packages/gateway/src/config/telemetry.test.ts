import { expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { exportTargets } from './telemetry.ts'
import { shownSettings } from './shown-settings.ts'

const load = (environment: Record<string, string>) => loadConfig(environment, '/nowhere').config
const targets = (environment: Record<string, string>) => exportTargets(load(environment))
const urls = (environment: Record<string, string>) =>
  Object.fromEntries(Object.entries(targets(environment)).map(([signal, all]) => [signal, all.map(({ url }) => url)]))

test('nothing is exported where nothing is said, or all of it is turned off', () => {
  const nothing = { traces: [], metrics: [], logs: [] }
  expect(urls({})).toEqual(nothing)
  expect(urls({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' })).toEqual(nothing)
})

test('one address serves all signals, and each may have its own or none', () => {
  expect(
    urls({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/base/',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m/own',
      OTEL_LOGS_EXPORTER: 'none',
    }),
  ).toEqual({ traces: ['http://c:4318/base/v1/traces'], metrics: ['http://m/own'], logs: [] })
  expect(urls({ OTEL_TRACES_EXPORTER: 'otlp' })['traces']).toEqual(['http://127.0.0.1:4318/v1/traces'])
})

test('headers are read as everybody writes them, a signal’s own beside the common ones', () => {
  const { traces } = targets({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc, x-team = a%2Cb ',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=t',
  })
  expect(traces[0]?.headers).toEqual({ authorization: 'Bearer abc', 'x-team': 't' })
})

test('the token of Logfire goes to Logfire alone, in the region that it names', () => {
  const { traces } = targets({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
    OTEL_EXPORTER_OTLP_HEADERS: 'x=1',
    LOGFIRE_TOKEN: 'pylf_v1_eu_abcdefgh',
  })
  expect(traces).toEqual([
    { url: 'http://c/v1/traces', headers: { x: '1' } },
    { url: 'https://logfire-eu.pydantic.dev/v1/traces', headers: { authorization: 'pylf_v1_eu_abcdefgh' } },
  ])
  expect(urls({ LOGFIRE_TOKEN: 'abcdefghijk' })['logs']).toEqual(['https://logfire-us.pydantic.dev/v1/logs'])
  expect(urls({ LOGFIRE_TOKEN: 'abcdefghijk', LOGFIRE_BASE_URL: 'https://l.example' })['traces']).toEqual([
    'https://l.example/v1/traces',
  ])
})

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'only http/protobuf is supported'],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'it must be otlp or none'],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'it must be one of always_on'],
  [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'it must be a number from 0 to 1'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'broken' }, 'name=value pairs'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:pw@c' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'x=a%0Ab' }, 'invalid HTTP header name'],
  [{ LOGFIRE_TOKEN: 'abcdefghijk', LOGFIRE_BASE_URL: 'http://l.example' }, 'use https'],
])('%j is refused in words', (environment, words) => {
  expect(() => load(environment)).toThrow(words)
})

test('no setting with a secret shows it', () => {
  const config = load({ OTEL_EXPORTER_OTLP_HEADERS: 'a=s3cret', LOGFIRE_TOKEN: 's3cret-token' })
  expect(JSON.stringify(shownSettings(config))).not.toContain('s3cret')
})
