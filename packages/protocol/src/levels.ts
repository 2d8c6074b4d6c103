/** How serious a log line is (RFC 5424, section 6.2.1, as MCP names the levels). */
export const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

export const isLevel = (level: unknown): level is string => typeof level === 'string' && LEVELS.includes(level)

/** Whether a line of this level is one that somebody who asked for `wanted` wants. What has no known level is passed on. */
export function reachesLevel(level: unknown, wanted: string): boolean {
  const [at, least] = [LEVELS.indexOf(String(level)), LEVELS.indexOf(wanted)]
  return at === -1 || least === -1 || at >= least
}
