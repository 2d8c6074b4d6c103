/** What a gateway process knows of the other processes of its port, where there are several (`cli/processes/`). */
export interface ProcessPlace {
  /** The answers of the other processes, of those that answer within two seconds. `facts` and answers are JSON. */
  ask(what: string, facts: unknown): Promise<readonly unknown[]>
  /** Asks the same way, and returns how many of the other processes did not answer. */
  reach(what: string, facts: unknown): Promise<number>
  /** How this process answers when it is asked that; one answer for each `what`. Undefined is none. */
  answer(what: string, how: (facts: unknown) => unknown): void
}

/** Asked of the first process, which asks all of them: the metrics of all as those of one. */
export const METRICS = 'metrics'
