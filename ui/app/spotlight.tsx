// Search with Ctrl+K or Cmd+K. Pages are always included; a page adds its own entries while it is mounted.
import { useHotkeys } from '@mantine/hooks'
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { lazyPart } from '../parts/page/lazy-part.ts'

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

/** Loads the dialog on first use. */
export function Search() {
  const [openCount, setOpenCount] = useState(0)
  useEffect(() => {
    opener = () => setOpenCount((n) => n + 1)
  }, [])
  useHotkeys([['mod+K', () => setOpenCount((n) => n + 1)]], [])
  return openCount === 0 ? null : (
    <Suspense>
      <SearchBox openCount={openCount} />
    </Suspense>
  )
}

function change(source: string, own: readonly SearchEntry[]): void {
  sources.set(source, own)
  entries = [...sources.values()].flat()
  for (const listener of listeners) listener()
}
