/** Which sockets, timers and processes does this process hold, and which of them came since then? */

export const handlesNow = (form: RegExp): string[] => process.getActiveResourcesInfo().filter((kind) => form.test(kind))

/** What is held beyond `before`. What ended meanwhile, as connections of earlier tests do, is nothing left over. */
export function handlesBeyond(before: readonly string[], form: RegExp): string[] {
  const known = [...before]
  return handlesNow(form).filter((kind) => {
    const at = known.indexOf(kind)
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
}
