// Going somewhere by typing (Ctrl or Cmd with K). Pages are always found; an area adds its own things while it has
// them.
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

/** Makes things findable while the component lives: `useSearchEntries('pairs', pairs.map(…))`. */
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

/** Loaded when it is first opened. */
export function Search() {
  const [wanted, setWanted] = useState(0)
  useEffect(() => {
    opener = () => setWanted((n) => n + 1)
  }, [])
  useHotkeys([['mod+K', () => setWanted((n) => n + 1)]], [])
  return wanted === 0 ? null : (
    <Suspense>
      <SearchBox wanted={wanted} />
    </Suspense>
  )
}

function change(source: string, own: readonly SearchEntry[]): void {
  sources.set(source, own)
  entries = [...sources.values()].flat()
  for (const listener of listeners) listener()
}
