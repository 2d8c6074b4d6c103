/** `toolway config`: what is in force and where each value came from. Secrets are masked, always. */
import { openConfig } from './open-config.ts'
import { shownSettings } from '../config/shown-settings.ts'
import { EXIT, table, type Output } from './terminal/output.ts'

export async function listConfig(output: Output): Promise<number> {
  const { config, origins } = await openConfig()
  const values = shownSettings(config, origins).map(({ name, value, origin: from, about }) => ({
    name,
    value,
    from,
    about,
  }))
  output.result(
    values,
    table(
      ['SETTING', 'VALUE', 'SOURCE', 'DESCRIPTION'],
      values.map(({ name, value, from, about }) => [name, value ?? '-', from ?? '-', about]),
    ),
  )
  return EXIT.ok
}
