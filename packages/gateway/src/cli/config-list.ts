/** `toolway config`: what is in force and where each value came from. Secrets are masked, always. */
import { loadConfig, SETTINGS, type SettingName } from '../config.ts'
import { EXIT, table, type Output } from './output.ts'

export function listConfig(output: Output): number {
  const { config, origins } = loadConfig()
  const names = Object.keys(SETTINGS) as SettingName[]
  const values = names.map((name) => ({
    name,
    value: shown(config[name], SETTINGS[name].secret),
    from: origins[name],
    about: SETTINGS[name].about,
  }))
  output.result(
    values,
    table(
      ['SETTING', 'VALUE', 'FROM', 'WHAT IT IS'],
      values.map(({ name, value, from, about }) => [name, value ?? '-', from, about]),
    ),
  )
  return EXIT.ok
}

function shown(value: unknown, secret: boolean): string | null {
  if (value === undefined) return null
  if (secret) return '***'
  return Array.isArray(value) ? value.join(', ') || null : String(value)
}
