/**
 * The thread that compares a key with slow hashes, so that no call of anybody's waits for it. It ends with its answer.
 *
 * It is handed one key and its candidates, and says which of them fits, or none.
 */
import { parentPort, workerData } from 'node:worker_threads'
import bcrypt from 'bcryptjs'

const { key, hashes } = workerData as { key: string; hashes: readonly string[] }
// eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(hashes.findIndex((hash) => bcrypt.compareSync(key, hash)))
