// Merges rows of accounts that are one play, as `groupPlays` does. A delivered scrobble is also merged with a play of the account
// within the length of the title, because the title cannot be watched twice in that time.
import { groupPlays, type PlayRow, SHOWN_PLAY_MS } from '@playhead/sdk/items'

export interface Seen extends PlayRow {
  readonly accounts: readonly number[]
  /** Rows of the activity log. */
  readonly scrobble: boolean
}

interface Play {
  readonly at: number
  readonly day: boolean
  /** Rows by account. */
  readonly accounts: ReadonlyMap<number, number>
}

/** @param lengthMs length of the title, or an estimate */
export function playsOf(rows: readonly Seen[], lengthMs: number): readonly Play[] {
  const isLater = ({ scrobble, isDate }: Seen) => scrobble && !isDate
  const withinMs = Math.max(SHOWN_PLAY_MS, lengthMs)
  return groupPlays(
    rows.filter((row) => !isLater(row)),
    (plays) => {
      for (const row of rows.filter(isLater).sort((a, b) => a.atMs - b.atMs)) {
        const near = plays
          .filter(([first]) => Math.abs(row.atMs - first.atMs) <= withinMs)
          .sort(([a], [b]) => Math.abs(row.atMs - a.atMs) - Math.abs(row.atMs - b.atMs))[0]
        if (near === undefined) plays.push([row])
        else near.push(row)
      }
    },
  ).map(toPlay)
}

function toPlay(rows: readonly [Seen, ...Seen[]]): Play {
  const [{ atMs, isDate: day }] = rows
  const accounts = new Map<number, number>()
  for (const row of rows) {
    // A scrobble to an account is the row that the account shows.
    const add = row.scrobble ? 0 : 1
    for (const account of row.accounts) accounts.set(account, (accounts.get(account) ?? 0) + add)
  }
  for (const [account, count] of accounts) if (count === 0) accounts.set(account, 1)
  const exact = rows.filter((row) => row.isDate === day && !row.scrobble).at(-1)
  return { at: exact?.atMs ?? atMs, day, accounts }
}
