/** Reads an event stream to its end: the data of each event and its type, in order (HTML standard, server-sent events). */

export async function readEvents(response: Response, onData: (data: string, type: string) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  const lines = createLines()
  let data: string[] = []
  let type = ''
  const takeLine = (line: string) => {
    if (line === '') {
      // An event without data is no message; the first one of a stream that can be resumed is of that kind.
      if (data.some((part) => part !== '')) onData(data.join('\n'), type || 'message')
      data = []
      type = ''
    } else if (line.startsWith('data:')) data.push(valueOf(line))
    else if (line.startsWith('event:')) type = valueOf(line)
  }
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    for (const line of lines(value)) takeLine(line)
  }
}

/** Returns the text after the colon, without the one space that may follow it. */
const valueOf = (line: string): string => line.slice(line.indexOf(':') + 1).replace(/^ /, '')

/** Text in pieces, out come whole lines, however they end. */
export function createLines(): (piece: string) => string[] {
  let rest = ''
  return (piece) => {
    const text = rest + piece
    // A carriage return at the end may be half of a line's end.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text
    const lines = whole.split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + (whole === text ? '' : '\r')
    return lines
  }
}
