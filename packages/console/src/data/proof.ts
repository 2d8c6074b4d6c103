/**
 * What a person is asked when the gateway wants to know that it is still them (`proof.old`): the frame shows the question, and the request
 * is sent again after a right answer. Several requests wait for one answer.
 */
type Question = () => Promise<boolean>

let question: Question | undefined
let asking: Promise<boolean> | undefined

/** Returns how it is taken away. */
export function showProofWith(shown: Question): () => void {
  question = shown
  return () => {
    if (question === shown) question = undefined
  }
}

/** Whether it is confirmed that it is them; false where nothing can ask. */
export function proveAgain(): Promise<boolean> {
  asking ??= (question?.() ?? Promise.resolve(false)).finally(() => (asking = undefined))
  return asking
}
