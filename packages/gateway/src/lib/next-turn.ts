/** Resolves once whatever waits for the event loop has had its turn: long work goes on behind it, slice by slice. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
