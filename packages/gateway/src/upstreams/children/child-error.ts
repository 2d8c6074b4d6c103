/**
 * The error of a stdio server that cannot be started or written to. It has a code, from which its fault is made, and a sentence
 * with the next step. It never contains a value of the environment or a line.
 */
export type ChildErrorCode =
  | 'POSIX_ONLY' // this machine cannot end a process with all it started
  | 'INVALID_LAUNCH' // what was asked to start makes no sense
  | 'COMMAND_NOT_FOUND'
  | 'COMMAND_NOT_EXECUTABLE'
  | 'PROGRAM_NOT_FOUND' // a program that the server starts itself
  | 'FOLDER_NOT_FOUND' // the working folder asked for is not there
  | 'NOT_CONFINED' // the policy of the installation wants a sandbox that this launch cannot have
  | 'START_FAILED' // the system refused, the message says why
  | 'STOPPED' // stopped while it was starting
  | 'WORKER_LOST' // the worker process ended, the next start opens a new one
  | 'CHILDREN_CLOSED' // the gateway is shutting down
  | 'CHILD_ENDED' // it reads no more
  | 'QUEUE_FULL' // it does not read what waits for it
  | 'INVALID_LINE'

export class ChildError extends Error {
  readonly code: ChildErrorCode

  constructor(code: ChildErrorCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.name = 'ChildError'
    this.code = code
  }
}
