/** A command line as its words, as a shell would read it: quotes, backslashes and lines that go on. It runs nothing and fills in nothing. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === '\\' && quote !== "'" && isEscaped(text[at + 1], quote)) {
      at++
      if (text[at] !== '\n') word = (word ?? '') + (text[at] ?? '')
    } else if (quote !== '') {
      if (char === quote) quote = ''
      else word = (word ?? '') + char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + char
  }
  return word === undefined ? words : [...words, word]
}

/** A backslash of a path of Windows stays. */
const isEscaped = (next: string | undefined, quote: string): boolean =>
  next !== undefined && (quote === '"' ? '"\\$`\n'.includes(next) : /[\s"'\\$`]/.test(next))
