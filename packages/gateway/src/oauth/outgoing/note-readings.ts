/**
 * Notes how the answers of a connection's OAuth servers were read, so that the connection's status shows which of them was repaired, and
 * how: its metadata, its registration and its tokens, each as it was read last. A clean reading takes the note away.
 *
 * The note is made beside the reading: no account waits for it, and none fails with it. It names members and problems, never values
 * (`protocol/tidy-answer.ts`), and is bounded.
 */
import { noteOAuthRepairs } from '../../connections/connections.ts'
import type { Db } from '../../db/db.ts'
import type { Log } from '../../lib/log.ts'
import type { OnRead } from './protocol/word-failure.ts'

export interface NoteReadingsParts {
  readonly db: Pick<Db, 'system'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

export interface NoteReadings {
  readonly onRead: OnRead
  /** Waits for the notes that are being made. */
  close(): Promise<void>
}

/** Of one document. */
const MOST_REPAIRS = 20
/** Characters of an address or a repair. */
const MOST_TEXT = 300

const boundedText = (text: string) => text.replaceAll('\0', '\uFFFD').slice(0, MOST_TEXT).toWellFormed()

export function createNoteReadings({ db, log }: NoteReadingsParts): NoteReadings {
  const running = new Set<Promise<unknown>>()

  return {
    onRead({ egress: { alias, connectionId }, kind, document, repaired }) {
      if (repaired.length > 0)
        log.info(
          { connection: alias, document, repaired },
          'an OAuth response was read although it is not as the RFC says',
        )
      if (connectionId === undefined) return
      const noted =
        repaired.length === 0
          ? undefined
          : { document: boundedText(document), repaired: repaired.slice(0, MOST_REPAIRS).map(boundedText) }
      const note = db
        .system((sql) => noteOAuthRepairs(sql, connectionId, { kind, noted }))
        .catch((err: unknown) => log.warn({ err, connection: alias, document }, 'a repair could not be noted'))
        .finally(() => running.delete(note))
      running.add(note)
    },
    async close() {
      await Promise.all(running)
    },
  }
}
