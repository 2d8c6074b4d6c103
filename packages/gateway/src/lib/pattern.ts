/** Patterns over names: `*` stands for any run of characters, everything else for itself. Matched by hand, so that none is slow. */
export function patternOf(pattern: string): (text: string) => boolean {
  const [head = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return (text) => text === head
  const tail = rest.pop() ?? ''
  return (text) => {
    if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false
    let at = head.length
    for (const part of rest) {
      const found = text.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= text.length - tail.length
  }
}
