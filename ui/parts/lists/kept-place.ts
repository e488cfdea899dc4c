// Keeps the scroll position and the focus of a page and its lists in the browser history entry, so that Back and a reload
// return to them, and a new link starts at the top.
import { type RefObject, useEffect, useRef } from 'react'
import { untilSettled } from '../page/until-settled.ts'

interface Place {
  readonly top: number
  /** The focused link, or the row of a table; `focusOf` and `refocus` read and restore it. */
  readonly focus: string | null
}

type Places = Readonly<Record<string, Place>>

interface Keeping {
  /** A text by which a later visit finds the focused element. null: it cannot be found again. */
  readonly focusOf: (target: Element) => string | null
  /** @returns whether it is there */
  readonly refocus: (focus: string) => boolean
}

const SAVED_MS = 150
/** Frames for which it stays there, because the page itself takes the focus when it is shown. */
const SETTLED = 20
/** Rows that a slow service has not sent by then are given up. */
const LONGEST_MS = 30_000

/**
 * @param name of the list on its page
 * @param isReady whether the list has its final height
 * @param keeping for lists whose rows do not link anywhere
 */
export function useKeptPlace(
  name: string,
  scroller: RefObject<HTMLElement | null>,
  isReady: boolean,
  keeping?: Keeping,
): void {
  const current = useRef(keeping)
  current.current = keeping
  useEffect(() => {
    const element = scroller.current
    if (element === null || !isReady) return undefined
    return keepPlace(name, element, {
      focusOf: (target) => (current.current ?? byLink(element)).focusOf(target),
      refocus: (focus) => (current.current ?? byLink(element)).refocus(focus),
    })
  }, [name, scroller, isReady])
}

/** The place of this visit, if it was here before. */
export function placeOf(name: string): Place | undefined {
  return (history.state as { readonly places?: Places } | null)?.places?.[name]
}

/** Restores the place of an element and keeps it from now on. @returns the end of it */
export function keepPlace(name: string, element: HTMLElement, keeping: Keeping = byLink(element)): () => void {
  const place = placeOf(name)
  // The scroll events of a page are those of its document.
  const source = element === document.documentElement ? document : element
  const page = location.pathname
  const listening = new AbortController()
  const { signal } = listening
  let timer: ReturnType<typeof setTimeout> | undefined
  let last: Place = place ?? { top: 0, focus: null }
  let isRestoring = place !== undefined

  let stop = () => {}
  const save = () => {
    clearTimeout(timer)
    // The user may have left the page by now, and a place that is not restored yet is the better one.
    if (location.pathname !== page || isRestoring) return
    const state = history.state as { readonly places?: Places } | null
    history.replaceState({ ...state, places: { ...state?.places, [name]: last } }, '')
  }
  const saveLater = () => {
    clearTimeout(timer)
    timer = setTimeout(save, SAVED_MS)
  }
  const note = (target: EventTarget | null) => {
    if (isRestoring || !(target instanceof Element)) return
    last = { top: element.scrollTop, focus: keeping.focusOf(target) }
  }

  if (place !== undefined) {
    let focused = place.focus === null ? SETTLED : 0
    let isRefocusing = false
    const restore = () => {
      element.scrollTop = place.top
      // A list that became shorter never reaches its place, and must not hold the focus meanwhile.
      if (focused < SETTLED) {
        isRefocusing = true
        focused = keeping.refocus(place.focus!) ? focused + 1 : 0
        isRefocusing = false
      }
      // Rows come with the pages of the list.
      return focused > 0 && Math.abs(element.scrollTop - place.top) <= 1
    }
    // A control that gets the focus otherwise was chosen by the person. The page itself focuses only headings.
    addEventListener(
      'focusin',
      ({ target }) => {
        if (!isRefocusing && target instanceof HTMLElement && target.tabIndex >= 0) focused = SETTLED
      },
      { capture: true, signal },
    )
    const onEnd = () => {
      isRestoring = false
    }
    stop = untilSettled(restore, { frames: SETTLED, longestMs: LONGEST_MS, onEnd })
  }
  source.addEventListener(
    'scroll',
    () => {
      if (isRestoring) return
      last = { ...last, top: element.scrollTop }
      saveLater()
    },
    { passive: true, signal },
  )
  source.addEventListener(
    'focusin',
    ({ target }) => {
      note(target)
      saveLater()
    },
    { signal },
  )
  // Both run before they change the address.
  for (const type of ['click', 'keydown'])
    source.addEventListener(
      type,
      (event) => {
        if (event instanceof KeyboardEvent && event.key !== 'Enter') return saveLater()
        note(event.target)
        save()
      },
      { capture: true, signal },
    )
  addEventListener('pagehide', save, { signal })
  return () => {
    stop()
    clearTimeout(timer)
    listening.abort()
  }
}

/** By the address of a link, and its number among those with the same address: `2 /continue`. */
export function byLink(element: HTMLElement): Keeping {
  const linksTo = (href: string) => [...element.querySelectorAll<HTMLElement>(`a[href=${JSON.stringify(href)}]`)]
  return {
    focusOf(target) {
      const link = target.closest('a')
      const href = link?.getAttribute('href') ?? null
      return link === null || href === null || !element.contains(link) ? null : `${linksTo(href).indexOf(link)} ${href}`
    },
    refocus(focus) {
      const [number = '', href = ''] = focus.split(' ', 2)
      const links = linksTo(href)
      const link = links[Number(number)] ?? links[0]
      link?.focus({ preventScroll: true })
      return link !== undefined
    },
  }
}
