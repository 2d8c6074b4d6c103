/**
 * What do the children need of a logger? Four levels in pino's shape: facts, then the sentence. The part never writes
 * anywhere itself.
 */
type Say = (facts: object, message: string) => void

export interface Log {
  debug: Say
  info: Say
  warn: Say
  error: Say
}
