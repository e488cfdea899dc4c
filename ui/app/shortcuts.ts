// Keyboard shortcuts of every page: `?` lists them, `g` and a letter opens a page, `/` focuses the search of the page.
import { useEffect } from 'react'
import { useLocation } from 'wouter'

export const GO_TO = {
  h: 'home',
  l: 'library',
  c: 'continue',
  w: 'watchlist',
  y: 'history',
  s: 'statistics',
  p: 'pairs',
  r: 'runs',
  o: 'connections',
  e: 'events',
  t: 'settings',
} as const

/** Maximum time between `g` and the letter. */
const SEQUENCE_MS = 1_500
const TYPED = 'input, textarea, select, [contenteditable], [role=textbox], [role=combobox]'

export function useShortcuts(
  pathOf: (area: string) => string | undefined,
  onHelp: () => void,
  onSearch: () => void,
): void {
  const [, navigate] = useLocation()
  useEffect(() => {
    let goAtMs = 0
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event
      const isTyped = target instanceof Element && target.closest(TYPED) !== null
      const isBusy = document.querySelector('[role=dialog]') !== null
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyped || isBusy) return
      const isSecond = Date.now() - goAtMs < SEQUENCE_MS
      goAtMs = 0
      if (isSecond && Object.hasOwn(GO_TO, key)) {
        const path = pathOf(GO_TO[key as keyof typeof GO_TO])
        if (path !== undefined) navigate(path)
      } else if (key === 'g') {
        goAtMs = Date.now()
        return
      } else if (key === '?') onHelp()
      else if (key === '/') {
        const field = document.querySelector<HTMLInputElement>('#content input[type=search]')
        if (field === null) onSearch()
        else field.focus()
      } else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [pathOf, onHelp, onSearch, navigate])
}
