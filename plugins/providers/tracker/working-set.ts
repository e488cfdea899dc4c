// The rows that a write may change, in memory: loaded by the items of the write, changed one by one, and written together. Rows of
// one identity are compared as one, because a title may have thousands of plays.
import { contradicts, parseTime, playToleranceMs, sameTime, type Time, tokensOf, type Item } from '@playhead/sdk/items'
import type { Row } from './tables.ts'

export interface Found {
  /** Strong ids contradict each other. */
  readonly ambiguous: boolean
  readonly rows: readonly Row[]
  readonly first: Row | undefined
  /** For history: the play with the latest time. */
  readonly latest: Row | undefined
  /** Plays at one time. */
  at(time: Time): readonly Row[]
}

export interface WorkingSet {
  /** Rows that match the item by a token. */
  find(item: Item): Found
  byKey(key: string): Row | undefined
  ofGroup(group: string): readonly Row[]
  /** Rows as they are stored. */
  load(rows: readonly Row[]): void
  add(row: Row): void
  /** Closes a row and inserts its next version under the same key. */
  replace(row: Row): void
  remove(row: Row): void
  /** The pending changes. */
  changes(): { readonly closed: readonly string[]; readonly added: readonly Row[] }
}

interface Held {
  readonly row: Row
  readonly time: Time | undefined
}

/** Rows with the same ids and numbers. */
interface Identity {
  readonly item: Item
  readonly rows: Map<string, Held>
  /** Plays by minute, and by day; plays with only a date are separate. */
  readonly minutes: Map<number, Map<string, Held>>
  readonly days: Map<number, Map<string, Held>>
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const TOLERANCE_MS = playToleranceMs()

export function createWorkingSet(stored: readonly Row[] = []): WorkingSet {
  const originals = new Map<string, Row>()
  const rows = new Map<string, Row>()
  const identities = new Map<string, Identity>()
  const byToken = new Map<string, Set<Identity>>()
  const groups = new Map<string, Map<string, Row>>()

  function identityOf(item: Item): Identity {
    const name = nameOf(item)
    const known = identities.get(name)
    if (known !== undefined) return known
    const made: Identity = { item, rows: new Map(), minutes: new Map(), days: new Map() }
    identities.set(name, made)
    for (const token of tokensOf(item)) {
      const same = byToken.get(token)
      if (same === undefined) byToken.set(token, new Set([made]))
      else same.add(made)
    }
    return made
  }

  function put(row: Row): void {
    const time = parseTime(row.item.watched_at)
    const held: Held = { row, time }
    const identity = identityOf(row.item)
    rows.set(row.key, row)
    identity.rows.set(row.key, held)
    putInto(groups, row.group, row.key, row)
    if (time === undefined) return
    putInto(identity.days, Math.floor(time.atMs / DAY_MS), row.key, held)
    if (time.precision !== 'date') putInto(identity.minutes, Math.floor(time.atMs / MINUTE_MS), row.key, held)
  }

  function take(row: Row): void {
    const identity = identityOf(row.item)
    const time = identity.rows.get(row.key)?.time
    rows.delete(row.key)
    identity.rows.delete(row.key)
    groups.get(row.group)?.delete(row.key)
    if (time === undefined) return
    identity.days.get(Math.floor(time.atMs / DAY_MS))?.delete(row.key)
    identity.minutes.get(Math.floor(time.atMs / MINUTE_MS))?.delete(row.key)
  }

  function load(given: readonly Row[]): void {
    for (const row of given) {
      originals.set(row.key, row)
      put(row)
    }
  }
  load(stored)

  return {
    find(item) {
      const same = [...new Set(tokensOf(item).flatMap((token) => [...(byToken.get(token) ?? [])]))].filter(
        (identity) => identity.rows.size > 0,
      )
      return {
        ambiguous: same.some((identity) => contradicts(identity.item, item)),
        get rows() {
          return same.flatMap((identity) => [...identity.rows.values()].map(({ row }) => row))
        },
        get first() {
          return same[0]?.rows.values().next().value?.row
        },
        get latest() {
          let latest: Held | undefined
          for (const identity of same)
            for (const held of identity.rows.values())
              if (latest === undefined || (held.time?.atMs ?? 0) > (latest.time?.atMs ?? 0)) latest = held
          return latest?.row
        },
        at: (time) => same.flatMap((identity) => playsAt(identity, time)),
      }
    },
    byKey: (key) => rows.get(key),
    ofGroup: (group) => [...(groups.get(group)?.values() ?? [])],
    load,
    add: put,
    replace(row) {
      const before = rows.get(row.key)
      if (before !== undefined) take(before)
      put(row)
    },
    remove: take,
    changes() {
      const closed = [...originals.values()].filter((row) => rows.get(row.key) !== row).map(({ key }) => key)
      const added = [...rows.values()].filter((row) => originals.get(row.key) !== row)
      return { closed, added }
    },
  }
}

/** The plays within the tolerance, from the surrounding minutes and days. */
function playsAt({ minutes, days }: Identity, time: Time): readonly Row[] {
  const around = (
    of: ReadonlyMap<number, ReadonlyMap<string, Held>>,
    spanMs: number,
    isWanted: (held: Held) => boolean,
  ) =>
    [0, -1, 1].flatMap((step) => [...(of.get(Math.floor(time.atMs / spanMs) + step)?.values() ?? [])].filter(isWanted))
  const isDay = ({ time: own }: Held) => own?.precision === 'date'
  const near =
    time.precision === 'date'
      ? around(days, DAY_MS, () => true)
      : [...around(minutes, MINUTE_MS, () => true), ...around(days, DAY_MS, isDay)]
  return near.filter((held) => sameTime(held.time!, time, TOLERANCE_MS)).map(({ row }) => row)
}

function putInto<Key, Value>(into: Map<Key, Map<string, Value>>, at: Key, key: string, value: Value): void {
  const known = into.get(at)
  if (known === undefined) into.set(at, new Map([[key, value]]))
  else known.set(key, value)
}

/** The tokens that identify the work of a row. */
function nameOf({ type, ids, show_ids: show, season, episode, title, year, series_title: series, film }: Item): string {
  return JSON.stringify([type, ids, show, season, episode, title, year, series, film])
}
