// Keys of rows of an import: those of the archive where they are the tracker's own, and each at most once in the rows and in
// each snapshot.
import type { TrackerSpan } from '@playhead/sdk'

export interface ImportKeys {
  /** The key under which a version is stored; undefined if one of these snapshots has it already. */
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
      // Files of other tools have keys twice, or none.
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
