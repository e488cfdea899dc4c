// Reading one feature: only entries with the mark are transferred.
import type { Item, ReadPart, ReadRequest } from '@playhead/sdk'
import { kindOf } from '@playhead/sdk/items'
import { readEnd, rowParts, unreadableRow, noteUnreadable, type Unreadable } from '@playhead/sdk/provider'
import { createWorks, type Entry, type Kind, unreadableReason } from './items.ts'
import { type Filter, list } from './library.ts'
import { settle } from './memory.ts'
import { type Session, showsById } from './session.ts'
import { fromLocal } from './times.ts'

interface FeatureRule {
  readonly kinds: readonly Kind[]
  readonly filter: Filter
  /** The values of a work, from its entries with the mark; undefined if none has it. */
  readonly values: (entries: readonly Entry[], zone: string) => Partial<Item> | undefined
}

/**
 * `lastplayed` is the time of the last play or of the stored position, whichever ended last. An entry with both marks does
 * not say which of them it belongs to, so neither has a time.
 */
const timeOf = (entry: Entry, zone: string) =>
  entry.playcount > 0 && entry.positionMs > 0 ? undefined : fromLocal(entry.lastplayed, zone)

export const RULES: { readonly [feature in 'history' | 'progress' | 'ratings']: FeatureRule } = {
  history: {
    kinds: ['movie', 'episode'],
    filter: { field: 'playcount', operator: 'greaterthan', value: '0' },
    values(entries, zone) {
      const watched = entries.filter(({ playcount }) => playcount > 0)
      if (watched.length === 0) return undefined
      const at = watched
        .flatMap((entry) => timeOf(entry, zone) ?? [])
        .sort()
        .at(-1)
      return { watched: true, ...(at === undefined ? {} : { watched_at: at }) }
    },
  },
  progress: {
    kinds: ['movie', 'episode'],
    filter: { field: 'inprogress', operator: 'true', value: '' },
    values(entries, zone) {
      const [entry] = entries
        .filter(({ positionMs }) => positionMs > 0)
        .toSorted((a, b) => b.lastplayed.localeCompare(a.lastplayed))
      if (entry === undefined) return undefined
      const at = timeOf(entry, zone)
      return {
        progress_ms: entry.positionMs,
        ...(entry.lengthMs > 0 ? { duration_ms: entry.lengthMs } : {}),
        ...(at === undefined ? {} : { progress_at: at }),
      }
    },
  },
  ratings: {
    kinds: ['movie', 'show', 'episode'],
    filter: { field: 'userrating', operator: 'greaterthan', value: '0' },
    values(entries) {
      const rating = entries.find((entry) => entry.rating > 0)?.rating
      return rating === undefined ? undefined : { rating }
    },
  },
}

export function readFeature(feature: keyof typeof RULES) {
  return async function* (session: Session, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
    const { account, rpc, shows } = session
    const { page_size: pageSize } = account.profile
    const { kinds, filter, values } = RULES[feature]
    const before = await session.state(signal)
    const { zone } = before
    const unreadable: Unreadable[] = []
    const gone: Item[] = []
    let isProven = true
    let reason: string | undefined = before.isScanning ? 'changed_while_reading' : undefined

    for (const kind of kinds) {
      if (request.kinds !== undefined && request.kinds.length > 0 && !request.kinds.includes(kind)) continue
      const known = kind === 'episode' ? await shows.get(signal) : undefined
      const { entries, flaw } = await list(
        rpc,
        kind,
        { filter, pageSize, signal },
        known === undefined ? undefined : showsById(known),
      )
      const files = feature === 'progress' ? countByFile(entries) : new Map<string, number>()
      // An episode whose show is missing would have another identity.
      reason ??= flaw ?? known?.flaw
      const works = createWorks<Entry>()
      for (const entry of entries) {
        // A position in a file of several episodes is not one within an episode.
        const isShared = kind === 'episode' && (files.get(entry.file) ?? 0) > 1
        const why = unreadableReason(entry) ?? (isShared ? 'shared_file' : undefined)
        if (why === undefined) works.add(entry)
        else noteUnreadable(unreadable, unreadableRow(why, entry.item.title).unreadable)
      }
      const rows = [...works.all()].flatMap((copies) => rowOf(copies, values(copies, zone)) ?? [])
      yield* rowParts(rows)
      if (reason !== undefined) continue
      const settled = await settle(account.store, {
        scope: `${encodeURIComponent(before.account)}/${feature}/${kind}`,
        rows,
        async library() {
          const all = await list(rpc, kind, { pageSize, signal }, known === undefined ? undefined : showsById(known))
          reason ??= all.flaw
          return all.entries
        },
      })
      gone.push(...settled.gone)
      isProven &&= settled.isCompared
    }
    const after = await session.state(signal)
    if (after.account !== before.account) reason = 'account_changed'
    if (after.isScanning) reason ??= 'changed_while_reading'
    yield readEnd({ account: before.account, reason, unreadable, gone, provesAbsence: isProven })
  }
}

function countByFile(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { file } of entries) if (file !== '') counts.set(file, (counts.get(file) ?? 0) + 1)
  return counts
}

function rowOf(copies: readonly Entry[], values: Partial<Item> | undefined): Item | undefined {
  const [first] = copies
  if (first === undefined || values === undefined) return undefined
  const ids = Object.assign({}, ...copies.map(({ item }) => item.ids).toReversed()) as Item['ids']
  return { ...first.item, ids, ...values, native: { item_id: `${kindOf(first.item)}/${first.id}` } }
}
