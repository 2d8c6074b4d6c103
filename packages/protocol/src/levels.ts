/** How serious a log line is (RFC 5424, section 6.2.1, as MCP names the levels). */
export const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

export const isLevel = (level: unknown): level is string => typeof level === 'string' && LEVELS.includes(level)

/** Returns whether a message of this level reaches the requested level `requested`. Messages of an unknown level are passed on. */
export function reachesLevel(level: unknown, requested: string): boolean {
  const [at, least] = [LEVELS.indexOf(String(level)), LEVELS.indexOf(requested)]
  return at === -1 || least === -1 || at >= least
}
