/** Lists the sockets, timers and processes that this process holds, and those that were added since a given list. */

export const handlesNow = (form: RegExp): string[] => process.getActiveResourcesInfo().filter((kind) => form.test(kind))

/**
 * Returns the handles held beyond `before`. Handles that ended in the meantime, such as connections of earlier tests, are not
 * counted as left over.
 */
export function handlesBeyond(before: readonly string[], form: RegExp): string[] {
  const known = [...before]
  return handlesNow(form).filter((kind) => {
    const at = known.indexOf(kind)
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
}
