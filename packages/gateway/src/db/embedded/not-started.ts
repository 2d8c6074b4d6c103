/** The embedded PostgreSQL ended before it was ready: its files may be damaged. `report` is what it said last, without its log. */
export class ServerNotStarted extends Error {
  readonly report: string | undefined
  readonly logFile: string

  /** `lines`: the end of its log. */
  constructor(lines: string, logFile: string) {
    super(`PostgreSQL did not start:\n${lines}`)
    this.name = 'ServerNotStarted'
    this.logFile = logFile
    // The log goes on from earlier runs, so that only the last one is about this start.
    this.report = [...lines.matchAll(/(?:FATAL|PANIC):\s+(.+)/g)].at(-1)?.[1]?.trim()
  }
}
