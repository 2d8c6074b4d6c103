/** Wakes one waiter. A wake while nobody waits counts for the next wait, so that none is missed. */
export class Wake {
  #isDue = false
  #done: (() => void) | undefined

  wake = (): void => {
    if (this.#done === undefined) this.#isDue = true
    else this.#done()
  }

  /** Resolves when it is woken, or after so many milliseconds. It keeps no process alive. */
  next(milliseconds: number): Promise<void> {
    if (this.#isDue) {
      this.#isDue = false
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#done = undefined
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      timer.unref()
      this.#done = done
    })
  }
}
