/** Pages that a server shows in place of its content: tests for people, walls against robots, and pages that scripts would fill. */
const MOST_WORDS = 200

const WALLS = [
  /verif(?:y|ying|ies) (?:that )?you(?:['’]re| are) (?:a |not a )?(?:human|robot|bot)/i,
  /(?:checking|verifying) your browser/i,
  /(?:are|you['’]re) (?:you )?(?:not )?a (?:robot|human)\b/i,
  /\bcaptcha\b/i,
  /just a moment\s*(?:\.\.\.|…)/i,
  /attention required!? \|? ?cloudflare/i,
  /enable javascript and cookies to continue/i,
  /unusual (?:traffic|activity) from your/i,
  /automated (?:access|queries|requests|traffic)/i,
  /pardon our interruption/i,
  /ddos protection by/i,
  /press (?:&|and) hold/i,
  /(?:access (?:to this page )?(?:has been )?denied|you have been blocked|request (?:was )?blocked)/i,
  /please (?:turn on|enable) (?:js|javascript) and disable (?:any|your) ad ?blocker/i,
]
const NEEDS_SCRIPTS = /(?:enable|requires?|need|turn on|without) (?:to enable )?java ?script/i

/** The reason why a page is no content; undefined: it is. */
export function wallOf(title: string, text: string, words: number): string | undefined {
  if (words > MOST_WORDS) return undefined
  const shown = `${title}\n${text}`.slice(0, 8_000)
  if (WALLS.some((wall) => wall.test(shown))) return 'The site returned a bot check instead of the page.'
  if (NEEDS_SCRIPTS.test(shown)) return 'The page shows its text only in a browser that runs scripts.'
  return undefined
}

/** The text of HTML without its tags, scripts and styles, in time that grows with its length only: the page may be hostile. */
export function visibleText(html: string): string {
  const shown: string[] = []
  let from = 0
  for (const { 0: open, 1: name = '', index } of html.matchAll(/<(script|style)\b/gi)) {
    if (index < from) continue
    shown.push(html.slice(from, index))
    const close = new RegExp(`</${name}`, 'gi')
    close.lastIndex = index + open.length
    // An element that is not closed hides all that follows.
    from = close.exec(html)?.index ?? html.length
  }
  shown.push(html.slice(from))
  return shown.join(' ').replace(/<[^<>]*>?/g, ' ')
}
