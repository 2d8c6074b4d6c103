/**
 * Passwords: how they are kept (argon2id, RFC 9106, as a PHC string) and checked.
 *
 * The cost is the OWASP one: 19 MiB, two passes, one lane. A password that nobody has costs what a wrong one costs, so that
 * time does not tell who has an account. Few are computed at once, because each holds its memory and a thread.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Fault } from '@toolway/contract'
import { createTurns } from '../lib/work-queue.ts'

export interface Passwords {
  /** Throws `body.shape` for one that is too short or too long, and `gateway.not-ready` when too many are waiting. */
  hash(password: string): Promise<string>
  /** False, after the same time, where nothing is stored. Throws `gateway.not-ready`. */
  verify(password: string, stored: string | null | undefined): Promise<boolean>
}

interface Cost {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

const COST: Cost = { memory: 19 * 1024, passes: 2, parallelism: 1 }
const TAG = 32
const SALT = 16
/** Longer ones are no safer, and hashing them is work that anybody could ask for. */
const LONGEST = 1024
const TURNS = { atOnce: 2, waiting: 32 }
const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

const derive = promisify(argon2)
const plain = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
/** Two keyboards may write the same letter differently (Unicode, normalization form C). */
const textOf = (password: string) => password.normalize('NFC')

const compute = (password: string, nonce: Buffer, { memory, passes, parallelism }: Cost, tagLength: number) =>
  derive('argon2id', { message: textOf(password), nonce, memory, passes, parallelism, tagLength })

/** Of no password. */
const DECOY = { cost: COST, salt: Buffer.alloc(SALT, 1), tag: Buffer.alloc(TAG) }

function readStored(stored: string | null | undefined): typeof DECOY {
  const [, m, t, p, salt, tag] = FORM.exec(stored ?? '') ?? []
  if (salt === undefined || tag === undefined) return DECOY
  return {
    cost: { memory: Number(m), passes: Number(t), parallelism: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

export function createPasswords({ shortest }: { shortest: number }): Passwords {
  const turns = createTurns(TURNS)
  async function takeTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = turns.take(work)
    if (turn === undefined) throw new Fault('gateway.not-ready', { problem: 'too many people are signing in at once' })
    return turn
  }
  return {
    async hash(password) {
      const length = Array.from(textOf(password)).length
      if (length < shortest || password.length > LONGEST)
        throw new Fault('body.shape', { place: '/password', problem: `must have ${shortest} to ${LONGEST} characters` })
      const salt = randomBytes(SALT)
      const tag = await takeTurn(() => compute(password, salt, COST, TAG))
      return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${plain(salt)}$${plain(tag)}`
    },
    async verify(password, stored) {
      const { cost, salt, tag } = readStored(stored)
      if (password.length > LONGEST) return false
      const computed = await takeTurn(() => compute(password, salt, cost, tag.length))
      return timingSafeEqual(computed, tag) && tag !== DECOY.tag
    },
  }
}
