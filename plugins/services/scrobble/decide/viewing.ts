// A viewing: one playback of one item by one person on one device, from the view of one destination. Pure data, stored as JSON.
import type { PlaybackAccount } from '@playhead/sdk'
import { compareItems, formatKey, keyOf, type Item } from '@playhead/sdk/items'
import type { Lane, Observation } from '../contract.ts'

export interface Viewing {
  readonly item: Item
  /** The source of the last report. */
  readonly last: LastReport
  readonly durationMs: number | null
  /** When this viewing began, epoch milliseconds. A fresh start begins a new viewing. */
  readonly startedAtMs: number
  /** The viewing started near the beginning of the item. */
  readonly fresh: boolean
  /** A start was reported, and not only a later state. */
  readonly startSeen: boolean
  readonly lastAtMs: number
  /** Last accepted position; null before the first. */
  readonly percent: number | null
  /** Greatest position that playback reached, or that later reports continued from. */
  readonly reached: number
  /**
   * When the counted position was reached; null before that. Overlaps are judged by this time, because credits may be played days
   * later.
   */
  readonly countsAtMs?: number | null
  /** The last report jumped forward, and no later report has confirmed the jump. */
  readonly jumped: boolean
  readonly level: 'playing' | 'paused' | 'stopped'
  readonly emitted: { readonly action: Emission['action']; readonly percent: number; readonly atMs: number } | null
  /** The last message to the tracker. */
  readonly sent: Sent | null
  readonly lastPauseAtMs: number | null
  /** A debounced pause is sent at this time unless playback resumes. */
  readonly pauseDueAtMs: number | null
  /** The last events, including those of the previous viewing, because any of them may be reported again. */
  readonly events?: readonly SeenEvent[]
  readonly stoppedAtMs: number | null
  readonly completedAtMs: number | null
  /** The last play, which may belong to the previous viewing. */
  readonly lastPlay: EarlierPlay | null
  /** The previous viewings, newest first; a late report may belong to one of them. */
  readonly before?: readonly Viewing[]
}

export type SeenEvent = Pick<Observation, 'state' | 'atMs' | 'positionMs' | 'completed'>

export type LastReport = Pick<Observation, 'method' | 'session' | 'account' | 'deviceId' | 'device' | 'server'>

export interface Sent {
  readonly action: Emission['action']
  readonly percent: number
}

/** A message for a destination. */
export interface Emission {
  readonly action: 'start' | 'pause' | 'stop'
  /** 0 to 100, two decimals. */
  readonly percent: number
  readonly durationMs: number | null
  /** With `stop`: the viewing is a play. */
  readonly completed: boolean
  /** The item was played from its beginning, and for long enough to be a separate play. */
  readonly whole: boolean
  /** The position jumped, so it is sent regardless of the step. */
  readonly seek: boolean
  readonly atMs: number
  readonly startedAtMs: number
  readonly countsAtMs: number | null
}

/** A play that the tracker of a destination already has. */
export interface EarlierPlay {
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly countsAtMs?: number | null
  /** The play started at the beginning of the item. */
  readonly whole?: boolean
}

export function playOf({ startedAtMs, atMs: endedAtMs, countsAtMs, whole }: Emission): EarlierPlay {
  return { startedAtMs, endedAtMs, countsAtMs, whole }
}

export interface Verdict {
  readonly viewing: Viewing
  readonly outcome: 'emit' | 'ignored' | 'dedup' | 'debounced' | 'suppressed'
  readonly reason?: string
  readonly emission?: Emission
  /** The play of the previous viewing, whose end was never reported. Sent first. */
  readonly closing?: Emission
  /** The position to store. */
  readonly percent: number
}

/** Source and tracker. A route and a webhook between the same accounts share their viewings. */
export function destinationOf({ source, sink }: Pick<Lane, 'source' | 'sink'>): string {
  return `${source.provider}:${source.instance}>${sink.provider}:${sink.instance}`
}

/** The person; set for viewings of one source. */
export function personOf({ account }: { readonly account: PlaybackAccount }): string {
  if (account.relation === 'own') return 'own'
  return account.id ?? account.uuid ?? `name:${account.name ?? ''}`
}

/** Identifies a viewing at its destination, independent of the reporting source. */
export function viewingKey(seen: Observation): string {
  return JSON.stringify([personOf(seen), deviceOf(seen), itemName(seen.item)])
}

export function deviceOf({ deviceId, session }: Pick<Observation, 'deviceId' | 'session'>): string {
  return deviceId ?? `session:${session}`
}

/** A server may rename an item when it scans its library again. */
export function isSameItem(one: Item, other: Item): boolean {
  return itemName(one) === itemName(other) || compareItems(one, other) === 'same'
}

/** The item's id at its server, or else its shared ids. */
export function itemName(item: Item): string {
  if (item.native?.item_id !== undefined) return item.native.item_id
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : `title:${item.series_title ?? ''}/${item.title ?? ''}`
}
