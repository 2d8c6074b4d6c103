/** The settings in force as they may be shown: of a secret only that it is set, of an address never a password in it. */
import { SETTINGS, type Config, type LoadedConfig, type SettingName } from '../config.ts'

const names = Object.keys(SETTINGS) as SettingName[]

/** Where each comes from is null where nobody says so. */
export const shownSettings = (config: Config, origins?: LoadedConfig['origins']) =>
  names.map((name) => {
    const { about, secret } = SETTINGS[name]
    return { name, value: shownValue(config[name], secret), secret, origin: origins?.[name] ?? null, about }
  })

function shownValue(value: unknown, secret: boolean): string | null {
  if (value === undefined) return null
  if (secret) return '***'
  return (Array.isArray(value) ? value.join(', ') : String(value)).replaceAll(USER_OF_URL, '$1***@') || null
}
/** The part before the host (RFC 3986, userinfo). */
const USER_OF_URL = /(:\/\/)[^/?#\s@]*@/g
