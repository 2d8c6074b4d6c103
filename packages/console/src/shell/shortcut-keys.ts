/**
 * Ctrl or Command with K opens the palette. Keys without them: `/` for the search of a screen, `j` and `k` through the rows of a table, `g` and a letter for a screen,
 * `?` for the list of them. Those are ignored while somebody types, and can be switched off (WCAG 2.2, 2.1.4).
 */

/** By the letter after `g`. */
export const SCREEN_KEYS: readonly (readonly [key: string, to: string])[] = [
  ['h', '/'],
  ['p', '/playground'],
  ['c', '/connections'],
  ['t', '/tools'],
  ['s', '/toolsets'],
  ['r', '/rules'],
  ['a', '/approvals'],
  ['l', '/records'],
  ['u', '/usage'],
  ['k', '/keys'],
  ['m', '/people'],
]

/** Milliseconds between `g` and its letter. */
const PATIENCE_MS = 1_500
const STORED = 'toolway-shortcuts'

export const shortcutsAreOn = (): boolean => localStorage.getItem(STORED) !== 'off'
export const switchShortcuts = (on: boolean): void =>
  on ? localStorage.removeItem(STORED) : localStorage.setItem(STORED, 'off')

export interface ShortcutActs {
  readonly go: (to: string) => void
  readonly list: () => void
  /** Opens the palette, also for screens without a search of their own. */
  readonly searchEverything: () => void
}

let current: ShortcutActs | undefined

/** For the menu, which shows the list too. */
export const listShortcuts = (): void => current?.list()

/** Listens until the function that it returns is called. */
export function listenForShortcuts(acts: ShortcutActs): () => void {
  current = acts
  let waitsSince = Number.NEGATIVE_INFINITY
  function take(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented, target, timeStamp } = event
    // The one with a modifier works everywhere, and is never off.
    if (key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey) {
      event.preventDefault()
      acts.searchEverything()
      return
    }
    if (defaultPrevented || ctrlKey || metaKey || altKey || isTyping(target) || !shortcutsAreOn()) return
    if (document.querySelector('[role="dialog"]') !== null) return
    const waited = timeStamp - waitsSince < PATIENCE_MS
    waitsSince = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY
    const act = waited ? screenAct(key, acts) : actOf(key, acts)
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  window.addEventListener('keydown', take)
  return () => {
    current = undefined
    window.removeEventListener('keydown', take)
  }
}

function screenAct(key: string, { go }: ShortcutActs): (() => void) | undefined {
  const to = SCREEN_KEYS.find(([letter]) => letter === key)?.[1]
  return to === undefined ? undefined : () => go(to)
}

function actOf(key: string, acts: ShortcutActs): (() => void) | undefined {
  if (key === '?') return acts.list
  if (key === '/') {
    const field = document.querySelector<HTMLInputElement>('main input[data-search]')
    return field === null ? acts.searchEverything : () => field.focus()
  }
  const step = key === 'j' ? 1 : key === 'k' ? -1 : 0
  return step === 0 ? undefined : stepThroughRows(step)
}

/** The link or button that opens a row, in each row of the screen's tables. */
const ROWS = 'main [role="row"] .row-link'

function stepThroughRows(step: number): (() => void) | undefined {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)]
  const at = rows.findIndex((row) => row === document.activeElement)
  const next = rows[at === -1 ? (step > 0 ? 0 : rows.length - 1) : at + step]
  return next === undefined
    ? undefined
    : () => {
        next.focus()
        next.scrollIntoView({ block: 'nearest' })
      }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type="checkbox"]):not([type="radio"]), textarea, select'))
