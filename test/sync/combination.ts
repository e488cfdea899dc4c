// One combination of two accounts: its initial data, the runs, and the expected end.
import type { Feature } from '@playhead/sdk'
import { SCHEMES, STRONG_SCHEMES } from '@playhead/sdk/items'
import { createSeededRandom, type SeededRandom } from '../upstreams/base/index.ts'
import { type CombinationWorld, type Joined, type Mode, sharedFeatures } from './combination-world.ts'
import { lineOf, type Mark, namesOf } from '../stands/stand.ts'
import { MOVIES, SHOWS, type WorkName } from '../stands/works.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const MOST_RUNS = 6

interface Sown {
  readonly feature: Feature
  readonly a: readonly Mark[]
  readonly b: readonly Mark[]
}

/** The data of the accounts per feature, as sorted lines. */
type Holdings = Readonly<Record<string, { readonly a: readonly string[]; readonly b: readonly string[] }>>

export interface Outcome {
  readonly expected: Holdings
  /** Before the last run. */
  readonly held: Holdings
  /** Expected and actual numbers of additions and updates. */
  readonly wanted: number
  readonly made: number
  readonly runs: readonly any[]
  /** The following run, which should have no changes. */
  readonly last: any
  readonly afterLast: Holdings
  readonly lastWrites: number
  /** Number of works that reached the other side. */
  readonly carried: number
}

export async function runCombination(
  world: CombinationWorld,
  accounts: readonly [Joined, Joined],
  mode: Mode,
  seed: number,
): Promise<Outcome> {
  const [a, b] = accounts
  const features = sharedFeatures(a.about, b.about, mode)
  const sown = sow(createSeededRandom(seed), a, b, features)
  for (const { feature, ...marks } of sown) {
    for (const mark of marks.a) await a.put(feature, mark)
    for (const mark of marks.b) await b.put(feature, mark)
  }
  const expectations = sown.map((one) => expectationOf(one, a, b, mode))
  const pairId = await world.pair(a, b, mode)
  const runs: any[] = []
  let last: any
  let held: Holdings
  let writes: number
  // The last run has no changes; it is compared with the state before it.
  do {
    if (last !== undefined) runs.push(last)
    held = await holdings(features, a, b)
    writes = a.writes() + b.writes()
    last = await world.run()
  } while (changes(last) + plannedIn(last) > 0 && runs.length < MOST_RUNS)
  const outcome = {
    expected: Object.fromEntries(
      expectations.map(({ feature, a: left, b: right }) => [feature, { a: left, b: right }]),
    ),
    held,
    wanted: expectations.reduce((sum, one) => sum + one.wanted, 0),
    made: runs.reduce((sum, run) => sum + changes(run), 0),
    runs,
    last,
    afterLast: await holdings(features, a, b),
    lastWrites: a.writes() + b.writes() - writes,
    carried: expectations.reduce((sum, one) => sum + one.carried, 0),
  }
  await world.removePair(pairId)
  return outcome
}

export const plannedIn = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, one: any) => sum + one.planned, 0)

function changes({ added_last: added, updated_last: updated, removed_last: removed }: any): number {
  return added + updated + removed
}

async function holdings(features: readonly Feature[], a: Joined, b: Joined): Promise<Holdings> {
  return Object.fromEntries(
    await Promise.all(
      features.map(
        async (feature) => [feature, { a: await linesOf(a, feature), b: await linesOf(b, feature) }] as const,
      ),
    ),
  )
}

const linesOf = async (account: Joined, feature: Feature) =>
  (await account.marks(feature)).map((mark) => lineOf(feature, mark)).toSorted()

/**
 * Each feature gets works of its own, because features affect each other: watching takes items off watchlists, for
 * example.
 */
function sow(random: SeededRandom, a: Joined, b: Joined, features: readonly Feature[]): readonly Sown[] {
  const known = (work: WorkName) => namesOf(a, work) !== undefined && namesOf(b, work) !== undefined
  const sameNames = (work: WorkName) =>
    Object.entries(namesOf(a, work) ?? {}).some(([scheme, id]) => namesOf(b, work)?.[scheme] === id)
  // Film 7 has a copy in the archive of media servers.
  const all = shuffled(
    random,
    Array.from({ length: MOVIES }, (_, index) => index)
      .filter((index) => index !== 7)
      .map((index) => `movie/${index}`),
  )
  const works = all.filter(known)
  // Works that one side cannot identify must stay where they are.
  const identified = works.filter(sameNames)
  const movies = identified.length > 0 ? identified : works
  const shows = shuffled(
    random,
    Array.from({ length: SHOWS }, (_, index) => index),
  )
  let day = 0
  const mark = (work: WorkName): Mark => ({
    work,
    rating: random.integer(1, 10),
    percent: random.integer(20, 60),
    atMs: Math.floor((Date.now() - ((day += 1) * DAY_MS) / 12 - DAY_MS) / MINUTE_MS) * MINUTE_MS,
  })
  return features.map((feature) => {
    const kinds = (kind: 'movie' | 'show' | 'episode') =>
      [a, b].every(({ about }) => about.features[feature]?.kinds.includes(kind) === true)
    const films = kinds('movie') ? movies.splice(0, 5) : []
    const others = kinds('show')
      ? shows.splice(0, 3).map((index) => `show/${index}`)
      : kinds('episode')
        ? shows
            .splice(0, feature === 'progress' ? 3 : 1)
            .flatMap((index) =>
              feature === 'progress'
                ? [`episode/${index}/1/2`]
                : [1, 2, 3].map((number) => `episode/${index}/1/${number}`),
            )
        : []
    const pick = (...places: number[]) =>
      [...films.filter((_, index) => places.includes(index)), ...others.filter((_, index) => places.includes(index))]
        .filter(known)
        .map(mark)
    const both = pick(0)
    return { feature, a: [...both, ...pick(1, 3)], b: [...both.map((one) => disagreed(feature, one)), ...pick(2, 4)] }
  })
}

/** The other side has an older, different rating. */
function disagreed(feature: Feature, mark: Mark): Mark {
  return feature === 'ratings' && mark.work.startsWith('movie')
    ? { ...mark, rating: ((mark.rating ?? 1) % 10) + 1, atMs: mark.atMs! - 20 * DAY_MS }
    : mark
}

function expectationOf({ feature, a: atA, b: atB }: Sown, a: Joined, b: Joined, mode: Mode) {
  const arrives = (marks: readonly Mark[], there: readonly Mark[], from: Joined, to: Joined) =>
    marks.filter(({ work }) => !there.some((one) => one.work === work) && canTake(feature, from, to, work))
  const toB = arrives(atA, atB, a, b)
  const toA = mode === 'two_way' ? arrives(atB, atA, b, a) : []
  const changedAtB = atB.map((one) => {
    const other = atA.find(({ work }) => work === one.work)
    return other !== undefined &&
      other.rating !== one.rating &&
      feature === 'ratings' &&
      canTake(feature, a, b, one.work)
      ? other
      : one
  })
  const lines = (marks: readonly Mark[]) => marks.map((one) => lineOf(feature, one)).toSorted()
  return {
    feature,
    a: lines([...atA, ...toA]),
    b: lines([...changedAtB, ...toB]),
    carried: toA.length + toB.length,
    wanted: toA.length + toB.length + changedAtB.filter((one, index) => one !== atB[index]).length,
  }
}

function canTake(feature: Feature, from: Joined, to: Joined, work: WorkName): boolean {
  const support = to.about.features[feature]!
  if (to.takes?.(feature, work) === false) return false
  const names = namesOf(from, work) ?? {}
  const reaches = from.about.id === to.about.id ? SCHEMES : STRONG_SCHEMES
  const isNamed =
    reaches.some((scheme) => names[scheme] !== undefined) &&
    (support.needsAnyId === undefined || support.needsAnyId.some((scheme) => names[scheme] !== undefined))
  return isNamed && namesOf(to, work) !== undefined && (support.needsDuration !== true || from.tellsDuration)
}

function shuffled<Value>(random: SeededRandom, values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ value }) => value)
}
