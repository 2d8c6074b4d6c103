/**
 * One bad row never takes its neighbours along: a row that cannot be put in the shape of its list leaves a mark in its place, which
 * no shape of an item admits. Whoever sends the list leaves the marks out, and says how many there are (`operations/answer.ts`).
 */
import { Fault } from '@toolway/contract'

export class Unreadable {
  readonly unreadable: unknown

  /** @param thrown why */
  constructor(thrown: unknown) {
    this.unreadable = thrown
  }
}

/** Each row in its shape. What refuses the whole list (a Fault) is thrown on. */
export const eachOf = <Row, Item>(rows: readonly Row[], to: (row: Row) => Item): Item[] =>
  rows.map((row) => {
    try {
      return to(row)
    } catch (thrown) {
      return markOf<Item>(thrown)
    }
  })

/** The same, one after the other, for shapes that ask the database. */
export async function eachInTurn<Row, Item>(rows: readonly Row[], to: (row: Row) => Promise<Item>): Promise<Item[]> {
  const items: Item[] = []
  for (const row of rows) items.push(await to(row).catch((thrown: unknown) => markOf<Item>(thrown)))
  return items
}

function markOf<Item>(thrown: unknown): Item {
  if (thrown instanceof Fault) throw thrown
  return new Unreadable(thrown) as Item
}
