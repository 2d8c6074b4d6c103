/** The values of the Helm chart, as far as they can be checked without Helm. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../packages/gateway/src/config.ts'

const CHART = join(import.meta.dirname, '../../deploy/helm/toolway')
const files = ['values.yaml', ...(await readdir(join(CHART, 'ci'))).map((file) => join('ci', file))]
const valuesOf = async (file: string) => (parse(await readFile(join(CHART, file), 'utf8')) ?? {}) as object

/** Helm merges maps, drops what is null and replaces everything else. */
function merged(defaults: unknown, values: unknown): unknown {
  if (!isMap(defaults) || !isMap(values)) return values
  const entries = Object.entries({ ...defaults, ...values }).map(([name, value]) => [
    name,
    name in values && name in defaults ? merged(defaults[name], value) : value,
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== null))
}
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

test('no value has a name that is no setting', async () => {
  for (const file of files) {
    const {
      settings = {},
      secrets = [],
      groups = {},
    } = (await valuesOf(file)) as {
      settings?: object
      secrets?: { setting: string }[]
      groups?: Record<string, { settings?: object } | null>
    }
    const named = [settings, ...Object.values(groups).map((group) => group?.settings ?? {})].flatMap(Object.keys)
    for (const setting of [...named, ...secrets.map((secret) => secret.setting)])
      expect(Object.keys(SETTINGS), `${file}: ${setting}`).toContain(setting)
  }
})

test('the schema knows each value of the chart: Helm refuses the whole chart where it does not', async () => {
  const schema = JSON.parse(await readFile(join(CHART, 'values.schema.json'), 'utf8')) as object
  const isValid = new Ajv({ strict: false, allErrors: true }).compile(schema)
  const defaults = await valuesOf('values.yaml')
  for (const file of files) {
    isValid(merged(defaults, await valuesOf(file)))
    expect(isValid.errors ?? [], file).toEqual([])
  }
})
