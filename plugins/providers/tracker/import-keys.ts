// Keys of imported rows: those of the archive if the tracker created them, each at most once in the rows and in each snapshot.
import type { TrackerSpan } from '@playhead/sdk'

export interface ImportKeys {
  /** The key under which a version is stored; undefined if one of these snapshots already contains it. */
  take(key: string, span: TrackerSpan): string | undefined
}

const KEY = /^[0-9a-f]{32}$/

export const newKey = (): string => crypto.randomUUID().replaceAll('-', '')

export function isSpanOf({ from, to }: TrackerSpan, snapshots: number): boolean {
  const isNumber = (value: number) => Number.isInteger(value) && value >= 0 && value <= snapshots
  return isNumber(from) && (to === undefined || (isNumber(to) && to > from))
}

export function createImportKeys(hasSnapshots: boolean): ImportKeys {
  const own = (key: string) => (KEY.test(key) ? key : newKey())
  if (!hasSnapshots) {
    const used = new Set<string>()
    return {
      // Files of other tools may have duplicate or missing keys.
      take(key) {
        const free = used.has(key) ? newKey() : own(key)
        used.add(free)
        return free
      },
    }
  }
  const known = new Map<string, { readonly key: string; readonly spans: Required<TrackerSpan>[] }>()
  return {
    take(key, { from, to = Number.POSITIVE_INFINITY }) {
      const one = known.get(key) ?? { key: own(key), spans: [] }
      if (one.spans.some((span) => from < span.to && span.from < to)) return undefined
      one.spans.push({ from, to })
      known.set(key, one)
      return one.key
    },
  }
}
