// Search with Ctrl+K or Cmd+K, and the other keyboard shortcuts. A page adds its own entries to the search while it is mounted.
import { useHotkeys } from '@mantine/hooks'
import { Suspense, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { lazyPart } from '../parts/page/lazy-part.ts'
import { ROUTES } from './routes.ts'
import { useShortcuts } from './shortcuts.ts'

export interface SearchEntry {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly href: string
}

const sources = new Map<string, readonly SearchEntry[]>()
const listeners = new Set<() => void>()
let entries: readonly SearchEntry[] = []
let opener: () => void = () => {}

const SearchBox = lazyPart(() => import('./search-box.tsx'))
const ShortcutSheet = lazyPart(() => import('./shortcut-sheet.tsx'))

/** Adds search entries while the component is mounted: `useSearchEntries('pairs', pairs.map(…))`. */
export function useSearchEntries(source: string, own: readonly SearchEntry[]): void {
  useEffect(() => {
    change(source, own)
    return () => change(source, [])
  }, [source, own])
}

export function useAllSearchEntries(): readonly SearchEntry[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => entries,
  )
}

export function openSearch(): void {
  opener()
}

/** Loads the dialogs on first use. */
export function Search() {
  const [openCount, setOpenCount] = useState(0)
  const [shortcuts, setShortcuts] = useState<'never' | 'open' | 'closed'>('never')
  const open = useCallback(() => setOpenCount((n) => n + 1), [])
  const showShortcuts = useCallback(() => setShortcuts('open'), [])
  useEffect(() => {
    opener = open
  }, [open])
  useHotkeys([['mod+K', open]], [])
  useShortcuts(pathOf, showShortcuts, open)
  return (
    <Suspense>
      {openCount === 0 ? null : <SearchBox openCount={openCount} onShortcuts={showShortcuts} />}
      {shortcuts === 'never' ? null : (
        <ShortcutSheet isOpen={shortcuts === 'open'} onClose={() => setShortcuts('closed')} />
      )}
    </Suspense>
  )
}

function pathOf(area: string): string | undefined {
  return ROUTES.find((route) => route.area === area)?.paths[0]
}

function change(source: string, own: readonly SearchEntry[]): void {
  sources.set(source, own)
  entries = [...sources.values()].flat()
  for (const listener of listeners) listener()
}
