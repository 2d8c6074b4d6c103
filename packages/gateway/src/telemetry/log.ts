/** The log: JSON lines on stderr (stdout stays free for what a person or a protocol reads), never a secret or a body. */
import pino, { type Logger } from 'pino'
import { spanInScope } from '../lib/span-scope.ts'
import { createLineBuffer } from './line-buffer.ts'
import { lineFormat, type LogFormat } from './log-format.ts'
import { createLogTail, type LogTail } from './log-tail.ts'

/** Last line of defence: fields of these names are masked wherever they turn up at the top of a line or one below. */
const SECRET_FIELDS = ['authorization', 'headers', 'environment', 'key', 'secret', 'token', 'password']

/**
 * A line that is logged for a traced call says to which trace it belongs. A new object for each line: pino writes the facts of the
 * line into it.
 */
function traceOfLine(): object {
  const span = spanInScope()
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

export interface Logs {
  readonly log: Logger
  /** The one line of each call, whose facts are JSON already; all their names stand in the code, so none needs masking. */
  line(json: string): void
  /** The last of what was written. */
  readonly tail: LogTail
  /** Write out what is buffered; for the end of the process. */
  flush(): void
}

export function createLogs(level: string, format: LogFormat = 'toolway'): Logs {
  const destination = pino.destination({ dest: 2, sync: false })
  const buffer = createLineBuffer(destination)
  const tail = createLogTail()
  const formatted = lineFormat(format)
  const lines = {
    write(line: string) {
      tail.push(line)
      buffer.write(formatted(line))
    },
  }
  const shape = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
    mixin: traceOfLine,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const redact = { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '***' }
  const log = pino({ ...shape, redact }, lines)
  return {
    log,
    line(json) {
      if (log.isLevelEnabled('info')) lines.write(`{"level":"info","message":"call",${json.slice(1)}\n`)
    },
    tail,
    flush() {
      buffer.flush()
      destination.flushSync()
    },
  }
}
