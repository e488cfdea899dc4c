// Whether an element was scrolled into view, so that content below the first view is fetched when it is needed.
import { useCallback, useState } from 'react'

const MARGIN = '200px'

/** Stays true once it is true. Pass `ref` to the element. */
export function useInView(): readonly [ref: (element: Element | null) => (() => void) | undefined, isSeen: boolean] {
  const [isSeen, setSeen] = useState(false)
  const ref = useCallback((element: Element | null) => {
    if (element === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        setSeen(true)
        observer.disconnect()
      },
      { rootMargin: MARGIN },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, isSeen]
}
