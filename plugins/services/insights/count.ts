// The numbers of one feature over all accounts. Every row is looked at once, in pages with rests between them; what is
// held of a row is what identifies it, and what is kept in the end are numbers and the newest rows.
import { createPace, type ItemKind } from '@playhead/sdk'
import { createHeld, type Held } from './held.ts'
import { type Cluster, createNewest, type KeyedCluster, playsOf, progressOf, ratingOf } from './newest.ts'
import { type Kind, type Kinds, type Mark, noKinds } from './sightings.ts'
import { type Counted, type Source, TRACKER } from './sources.ts'

export interface AccountNumbers {
  readonly provider: string
  readonly instance: string
  readonly count: number
  readonly kinds: Kinds
}

export interface Numbers {
  readonly feature: Counted
  /** Items, each once. */
  readonly now: number
  readonly kinds: Kinds
  readonly accounts: readonly AccountNumbers[]
  /** Items by provider, whatever the profile. */
  readonly providers: Readonly<Record<string, number>>
  readonly providerKinds: Readonly<Record<string, Kinds>>
  /** Items that only this provider has. */
  readonly only: Readonly<Record<string, number>>
  /** Items that two or more providers have. */
  readonly both: number
  readonly newest: readonly KeyedCluster[]
  /** Rows with a time, those of one item or play united. */
  readonly total: number
  /** Plays; zero but for histories. */
  readonly plays: { readonly movies: number; readonly episodes: number }
  /** The works that were played most, by plays: the shows of episodes. Empty but for histories. */
  readonly mostPlayed: readonly Played[]
}

export interface Played {
  readonly type: 'movie' | 'show'
  readonly tmdb: string
  readonly plays: number
}

const HELD = 96
const MOST_PLAYED = 50

export async function countFeature(
  feature: Counted,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<Numbers> {
  const held = createHeld(feature, sources.length)
  try {
    const pace = createPace()
    for (const [account, source] of sources.entries()) {
      for await (const page of source.rows()) {
        signal.throwIfAborted()
        for (const row of page) {
          held.add(account, row)
          if (pace.due()) await pace.rest()
        }
        await pace.rest()
      }
    }
    return await numbersOf(feature, sources, held, signal)
  } finally {
    held.release()
  }
}

async function numbersOf(
  feature: Counted,
  sources: readonly Source[],
  held: Held,
  signal: AbortSignal,
): Promise<Numbers> {
  const pace = createPace()
  const rest = async () => {
    if (pace.due()) await pace.rest()
    signal.throwIfAborted()
  }
  const sums = createSums(sources)
  const newest = createNewest(HELD)
  const plays = { movies: 0, episodes: 0 }
  const played = createPlayed()
  let total = 0
  const isTracker = (account: number) => sources[account]?.provider === TRACKER

  function take(names: Int32Array): void {
    sums.add(held.accountsOf(names), held.kindOf(names))
    const clusters = clustersOf(feature, held.marksOf(names), isTracker)
    for (const cluster of clusters) newest.offer(cluster)
    total += clusters.length
    if (feature !== 'history') return
    const type = held.typeOf(names[0]!)
    if (type === 'movie') plays.movies += clusters.length
    else if (type === 'episode') plays.episodes += clusters.length
    played.add(type, held.workOf(names), clusters.length)
  }

  const { count, start, nodes } = await held.spans(rest)
  for (let span = 0; span < count; span += 1) {
    const names = nodes.subarray(start[span], start[span + 1])
    // Where something contradicts, each stands for itself.
    if (names.length > 1 && held.contradict(names))
      for (let at = 0; at < names.length; at += 1) take(names.subarray(at, at + 1))
    else take(names)
    await rest()
  }
  return {
    feature,
    ...sums.all(),
    total,
    plays,
    mostPlayed: played.most(),
    newest: newest
      .all()
      .map(({ atMs, marks: [first, ...others] }) => ({ atMs, marks: [held.keyed(first), ...others.map(held.keyed)] })),
  }
}

function clustersOf(
  feature: Counted,
  marks: readonly Mark[],
  isTracker: (account: number) => boolean,
): readonly Cluster[] {
  if (marks.length === 0) return []
  if (feature === 'history') return playsOf(marks)
  return [feature === 'ratings' ? ratingOf(marks, isTracker) : progressOf(marks)].flatMap((cluster) => cluster ?? [])
}

function createPlayed() {
  const counts = { movie: new Map<number, number>(), show: new Map<number, number>() }
  return {
    add(type: ItemKind, tmdb: number | undefined, plays: number) {
      if (tmdb === undefined || (type !== 'movie' && type !== 'episode')) return
      const own = counts[type === 'movie' ? 'movie' : 'show']
      own.set(tmdb, (own.get(tmdb) ?? 0) + plays)
    },
    most(): readonly Played[] {
      const most: Played[] = []
      for (const type of ['movie', 'show'] as const) {
        for (const [tmdb, plays] of counts[type]) {
          if (most.length === MOST_PLAYED && plays <= (most.at(-1) as Played).plays) continue
          const at = most.findIndex((one) => one.plays < plays)
          most.splice(at === -1 ? most.length : at, 0, { type, tmdb: String(tmdb), plays })
          if (most.length > MOST_PLAYED) most.pop()
        }
      }
      return most
    },
  }
}

function createSums(sources: readonly Source[]) {
  const accounts = sources.map(({ provider, instance }) => ({ provider, instance, count: 0, kinds: noKinds() }))
  const providers: Record<string, number> = Object.fromEntries(sources.map(({ provider }) => [provider, 0]))
  const providerKinds: Record<string, Kinds> = Object.fromEntries(sources.map(({ provider }) => [provider, noKinds()]))
  const only = { ...providers }
  const kinds = noKinds()
  let [now, both] = [0, 0]
  return {
    add(holders: readonly number[], kind: Kind) {
      now += 1
      kinds[kind] += 1
      const names = new Set<string>()
      for (const holder of holders) {
        const account = accounts[holder] as (typeof accounts)[number]
        account.count += 1
        account.kinds[kind] += 1
        names.add(account.provider)
      }
      for (const name of names) {
        providers[name] = (providers[name] ?? 0) + 1
        const own = providerKinds[name] as Kinds
        own[kind] += 1
      }
      if (names.size > 1) both += 1
      else for (const name of names) only[name] = (only[name] ?? 0) + 1
    },
    all: () => ({ now, kinds, accounts, providers, providerKinds, only, both }),
  }
}
