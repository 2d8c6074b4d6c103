/** A page of a list that is whole in memory: only what is on it is put in its shape. */
export const pageFrom = <Row, Item>(
  all: readonly Row[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
  to: (row: Row) => Item,
) => ({
  items: all.slice(offset, offset + limit).map((row) => to(row)),
  total: all.length,
  limit,
  offset,
})
