// Work that moves the layout waits for a pressed pointer: a button that moves between press and release is not clicked.
import { useCallback, useEffect, useRef } from 'react'

/** Calls `work` now, or once the pointer that is pressed has been released and its click is done. */
export function useWhenReleased(work: () => void): () => void {
  const isPressed = useRef(false)
  const isDue = useRef(false)
  const latest = useRef(work)
  latest.current = work

  useEffect(() => {
    const ending = new AbortController()
    const options = { capture: true, signal: ending.signal }
    const release = () =>
      // The click follows in the same task.
      setTimeout(() => {
        isPressed.current = false
        if (isDue.current && !ending.signal.aborted) latest.current()
        isDue.current = false
      })
    window.addEventListener('pointerdown', () => (isPressed.current = true), options)
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, release, options)
    return () => ending.abort()
  }, [])

  return useCallback(() => {
    if (isPressed.current) isDue.current = true
    else latest.current()
  }, [])
}
