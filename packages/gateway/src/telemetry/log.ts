/** The log: JSON lines on stderr (stdout stays free for what a person or a protocol reads), never a secret or a body. */
import pino, { type Logger } from 'pino'

export type { Logger }

/** Last line of defence: fields of these names are masked wherever they turn up at the top of a line or one below. */
const SECRET_FIELDS = ['authorization', 'headers', 'environment', 'key', 'secret', 'token', 'password']

export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '***' },
    },
    pino.destination({ dest: 2, sync: false, minLength: 0 }),
  )
}
