// Titles that a service of a pair lacks. They are not problems: each run tries them again, and people can ignore them.
import { isNotInLibrary, PlayheadError, type Tables } from '@playhead/sdk'
import type { Pair } from '../pairs/pair.ts'
import { toSeconds } from './records.ts'
import { displayTitle } from './summary.ts'
import { readIgnored, setIgnored, type IgnoredItem } from '../store/ignored.ts'
import { eachOpen } from '../store/unresolved.ts'

interface NotInLibraryDependencies {
  readonly db: Tables
  readonly pairs: () => readonly Pair[]
  readonly now: () => number
}

export type NotInLibrary = ReturnType<typeof createNotInLibrary>

export function createNotInLibrary({ db, pairs, now }: NotInLibraryDependencies) {
  function assertPair(pairId: string): void {
    if (!pairs().some(({ id }) => id === pairId))
      throw new PlayheadError('PLH_NOT_FOUND', 'This pair does not exist.', { wire: 'pair_not_found' })
  }

  return {
    async list(pairId: string, { offset, limit }: { readonly offset: number; readonly limit: number }) {
      assertPair(pairId)
      const ignored = await readIgnored(db, pairId)
      const items = []
      let total = 0
      for await (const row of eachOpen(db, pairId)) {
        if (!isNotInLibrary(row.reason_code)) continue
        total += 1
        if (total <= offset || items.length >= limit) continue
        const { feature, provider, provider_instance: instance, key, item, reason_code } = row
        const of = { feature, provider, instance, key }
        items.push({
          ...of,
          ...{ title: displayTitle(item), year: item.year ?? null, type: item.type, reason_code },
          since: toSeconds(row.first_at_ms),
          ignored: ignored.all || ignored.has(of),
        })
      }
      return { ok: true, total, offset, limit, all_ignored: ignored.all, items }
    },

    async ignore(pairId: string, isIgnored: boolean, items: readonly IgnoredItem[] | undefined) {
      assertPair(pairId)
      await setIgnored(db, pairId, items ?? 'all', isIgnored, now())
    },
  }
}
