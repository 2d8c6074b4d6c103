/**
 * Which time zone is meant by a name people use, and what does a clock there show?
 *
 * Knows the IANA zones of the runtime (`Intl.supportedValuesOf`), their city parts, UTC offsets such as +02:00, and a
 * short table of large cities that give no zone its name. All clock arithmetic is left to Intl (ECMA-402), so daylight
 * saving is right wherever the runtime's zone data is. Never reads the network or the machine's place.
 */
import * as z from 'zod'

const CITIES = new Map([
  ['san francisco', 'America/Los_Angeles'],
  ['seattle', 'America/Los_Angeles'],
  ['boston', 'America/New_York'],
  ['washington', 'America/New_York'],
  ['miami', 'America/New_York'],
  ['dallas', 'America/Chicago'],
  ['montreal', 'America/Toronto'],
  ['rio de janeiro', 'America/Sao_Paulo'],
  ['munich', 'Europe/Berlin'],
  ['hamburg', 'Europe/Berlin'],
  ['frankfurt', 'Europe/Berlin'],
  ['geneva', 'Europe/Zurich'],
  ['barcelona', 'Europe/Madrid'],
  ['milan', 'Europe/Rome'],
  ['kyiv', 'Europe/Kyiv'],
  ['abu dhabi', 'Asia/Dubai'],
  ['mumbai', 'Asia/Kolkata'],
  ['delhi', 'Asia/Kolkata'],
  ['bangalore', 'Asia/Kolkata'],
  ['kolkata', 'Asia/Kolkata'],
  ['beijing', 'Asia/Shanghai'],
  ['shenzhen', 'Asia/Shanghai'],
  ['osaka', 'Asia/Tokyo'],
  ['cape town', 'Africa/Johannesburg'],
])

const plain = (name: string) =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')

const cityOf = (zone: string) => plain(zone.slice(zone.lastIndexOf('/') + 1))

/** Every zone of the runtime, with UTC in front (the list of the runtime leaves it out). */
export const allZones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** The canonical zone for `Europe/Berlin`, `berlin`, `San Francisco`, `UTC` or `+05:30`; throws with near names. */
export function findZone(name: string): string {
  const wanted = plain(name)
  const city = CITIES.get(wanted) ?? allZones().find((zone) => cityOf(zone) === wanted)
  const zone = city ?? canonical(name.trim().replaceAll(/\s+/g, '_'))
  if (zone) return zone
  const near = completeZone(name).slice(0, 5)
  const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'Use a name such as Europe/Berlin, Tokyo or UTC.'
  throw new Error(`Unknown time zone '${name}'. ${hint}`)
}

/** Zones whose name or city starts with what was typed, then those that contain it. */
export function completeZone(typed: string): string[] {
  const wanted = plain(typed)
  const starts = (zone: string) => cityOf(zone).startsWith(wanted) || plain(zone).startsWith(wanted)
  const zones = allZones()
  return [...zones.filter(starts), ...zones.filter((zone) => !starts(zone) && plain(zone).includes(wanted))]
}

export interface ClockReading {
  zone: string
  /** Local date and time without offset: 2026-03-01T09:30:00 */
  local: string
  weekday: string
  /** UTC offset then and there: +01:00 */
  offset: string
}

/** What a clock in `zone` shows at the instant `at`. */
export function readClock(zone: string, at: Date): ClockReading {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    weekday: 'long',
    timeZoneName: 'longOffset',
  })
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const offset = (part['timeZoneName'] ?? '').replace('GMT', '') || '+00:00'
  return {
    zone,
    local: `${part['year']}-${part['month']}-${part['day']}T${part['hour']}:${part['minute']}:${part['second']}`,
    weekday: part['weekday'] ?? '',
    offset,
  }
}

/** The instant a text with UTC offset names (RFC 3339); throws on anything else, also on a date that does not exist. */
export function readInstant(text: string): Date {
  const found = z.iso.datetime({ offset: true }).safeParse(text)
  if (!found.success) throw new Error(`'${text}' is not an instant; write 2026-03-01T09:00:00Z or with an offset.`)
  return new Date(found.data)
}

function canonical(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch (thrown) {
    // RangeError is how Intl says "no such zone" (ECMA-402, 11.1.2); anything else is a fault of ours.
    if (thrown instanceof RangeError) return undefined
    throw thrown
  }
}
