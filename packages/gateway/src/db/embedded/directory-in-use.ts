/** In a file that loads no driver: the command line words it, also where no database is started. */

/** Another server runs on this directory: use that one (`findEmbeddedPostgres`) or another directory. */
export class DirectoryInUse extends Error {
  readonly pid: number
  constructor(directory: string, pid: number) {
    super(`${directory} is in use by another Toolway (its PostgreSQL is process ${pid})`)
    this.name = 'DirectoryInUse'
    this.pid = pid
  }
}
