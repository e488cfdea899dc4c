// Entries of the search that pages add while they are mounted.
import { useEffect, useSyncExternalStore } from 'react'

interface SearchEntry {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly href: string
}

const sources = new Map<string, readonly SearchEntry[]>()

const listeners = new Set<() => void>()
let entries: readonly SearchEntry[] = []

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

function change(source: string, own: readonly SearchEntry[]): void {
  sources.set(source, own)
  entries = [...sources.values()].flat()
  for (const listener of listeners) listener()
}
