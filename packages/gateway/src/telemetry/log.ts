/** The log: JSON lines on stderr (stdout stays free for what a person or a protocol reads), never a secret or a body. */
import pino, { type Logger } from 'pino'

/** Last line of defence: fields of these names are masked wherever they turn up at the top of a line or one below. */
const SECRET_FIELDS = ['authorization', 'headers', 'environment', 'key', 'secret', 'token', 'password']

/** Lines are written together: one write for each line costs more than the call that it tells of. */
const BUFFER_BYTES = 32_768
const FLUSH_EVERY = 100

export interface Logs {
  readonly log: Logger
  /** The one line of each call, whose facts are JSON already; all their names stand in the code, so none needs masking. */
  line(json: string): void
  /** Write out what is buffered; for the end of the process. */
  flush(): void
}

export function createLogs(level: string): Logs {
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: BUFFER_BYTES,
    maxWrite: 4 * BUFFER_BYTES,
    periodicFlush: FLUSH_EVERY,
  })
  const shape = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const redact = { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '***' }
  const log = pino({ ...shape, redact }, destination)
  return {
    log,
    line(json) {
      if (log.isLevelEnabled('info')) destination.write(`{"level":"info","message":"call",${json.slice(1)}\n`)
    },
    flush: () => destination.flushSync(),
  }
}
