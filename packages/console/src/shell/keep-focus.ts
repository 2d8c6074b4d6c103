/**
 * Keeps the keyboard focus when what has it goes away (WCAG 2.2, 2.4.3): a button that was busy gets it back; where it was removed or
 * disabled, the nearest heading gets it, which a screen reader reads. Without this the focus falls to the document, and the next Tab
 * begins at the top of the page.
 */
import { useEffect } from 'react'

const HEADINGS = 'h1, h2, h3'
/** A button that nothing is left to do with; one that is only busy will be enabled again. */
const SPENT = 'button:disabled:not([data-loading])'

export function useKeepFocus(): void {
  useEffect(() => {
    let last: HTMLElement | undefined
    let around: readonly Element[] = []
    let byPointer = false
    let frame = 0
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || target === document.body) return
      last = target
      around = ancestorsOf(target)
    }
    // A press on nothing takes the focus away on purpose.
    const onPress = () => (byPointer = true)
    const onRelease = () => (byPointer = false)
    const onBlur = ({ relatedTarget }: FocusEvent) => {
      if (byPointer && relatedTarget === null) last = undefined
    }
    const check = () => {
      frame = 0
      if (last === undefined || document.activeElement !== document.body) return
      if (!last.isConnected || last.matches(SPENT)) return focusHeading(around)
      if (!last.matches(':disabled')) last.focus({ preventScroll: true })
    }
    const changes = new MutationObserver(() => {
      if (frame === 0) frame = requestAnimationFrame(check)
    })
    changes.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] })
    document.addEventListener('focusin', onFocus)
    document.addEventListener('focusout', onBlur)
    document.addEventListener('pointerdown', onPress, true)
    document.addEventListener('pointerup', onRelease, true)
    document.addEventListener('pointercancel', onRelease, true)
    return () => {
      changes.disconnect()
      cancelAnimationFrame(frame)
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('focusout', onBlur)
      document.removeEventListener('pointerdown', onPress, true)
      document.removeEventListener('pointerup', onRelease, true)
      document.removeEventListener('pointercancel', onRelease, true)
    }
  }, [])
}

function ancestorsOf(element: Element): Element[] {
  const found: Element[] = []
  for (let at = element.parentElement; at !== null; at = at.parentElement) found.push(at)
  return found
}

/** The first heading of the nearest part of the page that is still there and has one. */
function focusHeading(around: readonly Element[]): void {
  for (const part of around) {
    const heading = part.isConnected ? part.querySelector<HTMLElement>(HEADINGS) : null
    if (heading === null) continue
    if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1
    heading.focus({ preventScroll: true })
    return
  }
}
