/** For a menu that is loaded when it is first asked for: it opens by itself then, and its button has the focus as if it had been there. */
import { useEffect, useRef, useState } from 'react'

export function useOpenedLater<Button extends HTMLElement>() {
  const button = useRef<Button>(null)
  const [opened, setOpened] = useState(false)
  useEffect(() => {
    button.current?.focus()
    const frame = requestAnimationFrame(() => setOpened(true))
    return () => cancelAnimationFrame(frame)
  }, [])
  return { button, menu: { opened, onChange: setOpened, returnFocus: true } }
}
