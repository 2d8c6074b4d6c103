/** The interface that parts need of a log: pino's shape, so that tests pass in four small functions. */
export interface Log {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}
