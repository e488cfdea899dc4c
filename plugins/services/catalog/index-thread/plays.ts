// Rows of accounts that are one play.
//
// Plays of one film or episode within five minutes are one: services round times, and copies are a little off. A play of
// which only the day is known is one with a play of that day. A scrobble that was delivered is one with the play that an
// account shows within the length of the title: it cannot be watched twice in that time.

export interface Seen {
  /** Epoch milliseconds; of a day its first one, UTC. */
  readonly at: number
  /** Only the day is known. */
  readonly day: boolean
  readonly accounts: readonly number[]
  /** Of the activity log. */
  readonly scrobble: boolean
}

export interface Play {
  readonly at: number
  readonly day: boolean
  /** Rows by account. */
  readonly accounts: ReadonlyMap<number, number>
}

const SAME_MS = 5 * 60_000
const DAY_MS = 86_400_000

interface Cluster {
  readonly first: number
  readonly day: boolean
  readonly rows: Seen[]
}

/** @param lengthMs of the title, or its estimate */
export function playsOf(rows: readonly Seen[], lengthMs: number): readonly Play[] {
  const sorted = rows.toSorted((a, b) => a.at - b.at)
  const clusters: Cluster[] = []
  for (const row of sorted) {
    if (row.day || row.scrobble) continue
    const last = clusters.at(-1)
    if (last !== undefined && row.at - last.first <= SAME_MS) last.rows.push(row)
    else clusters.push({ first: row.at, day: false, rows: [row] })
  }
  for (const row of sorted) {
    if (!row.scrobble || row.day) continue
    const within = Math.max(SAME_MS, lengthMs)
    const near = clusters
      .filter((one) => Math.abs(row.at - one.first) <= within)
      .sort((a, b) => Math.abs(row.at - a.first) - Math.abs(row.at - b.first))[0]
    if (near === undefined) clusters.push({ first: row.at, day: false, rows: [row] })
    else near.rows.push(row)
  }
  const days = new Map<number, Cluster>()
  for (const row of sorted) {
    if (!row.day) continue
    const meant = clusters.findLast(({ first }) => first >= row.at && first < row.at + DAY_MS) ?? days.get(row.at)
    if (meant === undefined) days.set(row.at, { first: row.at, day: true, rows: [row] })
    else meant.rows.push(row)
  }
  return [...clusters, ...days.values()].map(toPlay)
}

function toPlay({ first, day, rows }: Cluster): Play {
  const accounts = new Map<number, number>()
  for (const row of rows) {
    // What was scrobbled to an account is the row that the account shows.
    const add = row.scrobble ? 0 : 1
    for (const account of row.accounts) accounts.set(account, (accounts.get(account) ?? 0) + add)
  }
  for (const [account, count] of accounts) if (count === 0) accounts.set(account, 1)
  const exact = rows.filter((row) => row.day === day && !row.scrobble).at(-1)
  return { at: exact?.at ?? first, day, accounts }
}
