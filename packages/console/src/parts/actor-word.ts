/** Words for callers and actors that are no person and no key. */
import { texts } from '../texts/texts.ts'

type Actor = keyof typeof texts.records.actors

/** The words for an actor of the gateway itself; undefined for the id of a person or a key. */
export const actorWord = (id: string): string | undefined =>
  Object.hasOwn(texts.records.actors, id) ? texts.records.actors[id as Actor] : undefined
