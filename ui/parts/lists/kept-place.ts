// Keeps the scroll position of a list in the browser history entry, so that Back and a reload return to it, and a new link
// starts at the top.
import { type RefObject, useEffect } from 'react'

interface Place {
  readonly top: number
  /** Address of the focused link. */
  readonly focus: string | null
}

const SAVED_MS = 150
/** Frames for which it stays there, because the page itself takes the focus when it is shown. */
const SETTLED = 20
/** Rows that a slow service has not sent by then are given up. */
const LONGEST_MS = 30_000
/** From then on the person controls the position of the list. */
const BY_HAND = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/** @param isReady whether the list has its final height */
export function useKeptPlace(scroller: RefObject<HTMLElement | null>, isReady: boolean): void {
  useEffect(() => {
    const element = scroller.current
    if (element === null || !isReady) return
    const place = (history.state as { readonly place?: Place } | null)?.place
    let frame = 0
    const stop = () => cancelAnimationFrame(frame)
    if (place !== undefined) {
      const until = performance.now() + LONGEST_MS
      let frames = 0
      const restore = () => {
        element.scrollTop = place.top
        const link = place.focus === null ? null : element.querySelector(`a[href=${JSON.stringify(place.focus)}]`)
        if (link instanceof HTMLElement) link.focus({ preventScroll: true })
        // Rows come with the pages of the list.
        const isThere = Math.abs(element.scrollTop - place.top) <= 1 && (place.focus === null || link !== null)
        frames = isThere ? frames + 1 : 0
        if (frames < SETTLED && performance.now() < until) frame = requestAnimationFrame(restore)
      }
      restore()
      for (const type of BY_HAND) addEventListener(type, stop, { capture: true, passive: true })
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    let last: Place = place ?? { top: 0, focus: null }
    const page = location.pathname
    const save = () => {
      // The user may have left the page by now.
      if (location.pathname === page) history.replaceState({ ...(history.state as object | null), place: last }, '')
    }
    const onScroll = () => {
      last = { ...last, top: element.scrollTop }
      clearTimeout(timer)
      timer = setTimeout(save, SAVED_MS)
    }
    const onFocus = ({ target }: Event) => {
      const link = (target as Element).closest('a')
      if (link === null) return
      last = { top: element.scrollTop, focus: link.getAttribute('href') }
      save()
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    element.addEventListener('focusin', onFocus)
    // Runs before the click on a link changes the address.
    element.addEventListener('click', onFocus, { capture: true })
    return () => {
      stop()
      for (const type of BY_HAND) removeEventListener(type, stop, { capture: true })
      clearTimeout(timer)
      element.removeEventListener('scroll', onScroll)
      element.removeEventListener('focusin', onFocus)
      element.removeEventListener('click', onFocus, { capture: true })
    }
  }, [scroller, isReady])
}
