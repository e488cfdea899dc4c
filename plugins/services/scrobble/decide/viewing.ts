// A viewing: one person plays one item on one device, as one destination knows it. Pure data, stored as JSON.
import { compareItems, formatKey, keyOf, type Item, type PlaybackAccount } from '@playhead/sdk'
import type { Lane, Observation } from '../contract.ts'

export interface Viewing {
  readonly item: Item
  /** Who reported it last. */
  readonly last: LastReport
  readonly durationMs: number | null
  /** When this viewing began, epoch milliseconds. A fresh start begins a new one. */
  readonly startedAtMs: number
  /** It began near the beginning of the item. */
  readonly fresh: boolean
  /** A start was reported, not only a later state. */
  readonly startSeen: boolean
  readonly lastAtMs: number
  /** Last accepted position; null before the first. */
  readonly percent: number | null
  /** Greatest position that was reached by playing, or that later reports continued from. */
  readonly reached: number
  /** When so much was reached that it counts; null before. Credits may follow for days, so this is when it overlaps others. */
  readonly countsAtMs?: number | null
  /** The last report jumped forward, and no later report confirmed it. */
  readonly jumped: boolean
  readonly level: 'playing' | 'paused' | 'stopped'
  readonly emitted: { readonly action: Emission['action']; readonly percent: number; readonly atMs: number } | null
  /** What the tracker was sent last. */
  readonly sent: Sent | null
  readonly lastPauseAtMs: number | null
  /** A pause within the debounce time is sent at this time unless playback goes on. */
  readonly pauseDueAtMs: number | null
  /** The last ones, also of the viewing before this one: any may be reported again. */
  readonly events?: readonly SeenEvent[]
  readonly stoppedAtMs: number | null
  readonly completedAtMs: number | null
  /** The last play, also of the viewing before this one. */
  readonly lastPlay: EarlierPlay | null
  /** The viewings before this one, the newest first: a late report belongs to one of them. */
  readonly before?: readonly Viewing[]
}

export type SeenEvent = Pick<Observation, 'state' | 'atMs' | 'positionMs' | 'completed'>

export type LastReport = Pick<Observation, 'method' | 'session' | 'account' | 'deviceId' | 'device' | 'server'>

export interface Sent {
  readonly action: Emission['action']
  readonly percent: number
}

/** What a destination is told. */
export interface Emission {
  readonly action: 'start' | 'pause' | 'stop'
  /** 0 to 100, two decimals. */
  readonly percent: number
  readonly durationMs: number | null
  /** With `stop`: it is a play. */
  readonly completed: boolean
  /** The item was played from its beginning, and for long enough to be a play of its own. */
  readonly whole: boolean
  /** The position jumped: it is sent whatever the step. */
  readonly seek: boolean
  readonly atMs: number
  readonly startedAtMs: number
  readonly countsAtMs: number | null
}

/** A play that the tracker of a destination has already. */
export interface EarlierPlay {
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly countsAtMs?: number | null
  /** It began at the beginning of the item. */
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
  /** The play of the viewing before, whose end was never reported. Sent first. */
  readonly closing?: Emission
  /** The position that counts. */
  readonly percent: number
}

/** Source and tracker. A route and a webhook between the same accounts share their viewings. */
export function destinationOf({ source, sink }: Pick<Lane, 'source' | 'sink'>): string {
  return `${source.provider}:${source.instance}>${sink.provider}:${sink.instance}`
}

/** The person, for viewings of one source. */
export function personOf({ account }: { readonly account: PlaybackAccount }): string {
  if (account.relation === 'own') return 'own'
  return account.id ?? account.uuid ?? `name:${account.name ?? ''}`
}

/** Identifies a viewing at its destination, whatever reported it. */
export function viewingKey(seen: Observation): string {
  return JSON.stringify([personOf(seen), deviceOf(seen), itemName(seen.item)])
}

export function deviceOf({ deviceId, session }: Pick<Observation, 'deviceId' | 'session'>): string {
  return deviceId ?? `session:${session}`
}

/** A server that scans its library again may give an item another name. */
export function isSameItem(one: Item, other: Item): boolean {
  return itemName(one) === itemName(other) || compareItems(one, other) === 'same'
}

/** The item at its server; otherwise by its ids. */
export function itemName(item: Item): string {
  if (item.native?.item_id !== undefined) return item.native.item_id
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : `title:${item.series_title ?? ''}/${item.title ?? ''}`
}
