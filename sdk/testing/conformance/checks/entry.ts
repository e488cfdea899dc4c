// The check for services where one entry serves several features. Works of each kind go through additions, updates and
// removals in many orders, of what is there and of what is not. After each act every value of every work is compared.
import { defined } from '../../../defined.ts'
import type { Item } from '../../../items/item.ts'
import { progressOf } from '../../../items/progress.ts'
import type { FeatureSupport } from '../../../provider/contract.ts'
import type { Feature } from '../../../provider/features.ts'
import type { WriteRequest } from '../../../provider/writes/contract.ts'
import { writeOutcomes } from '../../../provider/writes/outcomes.ts'
import type { Bench, Check, Subject } from '../contract.ts'
import { createTokenIndex } from '../token-index.ts'
import { featuresOf, must } from './support.ts'

interface Act {
  readonly feature: Feature
  readonly op: WriteRequest['op']
  readonly support: FeatureSupport
}

interface Work {
  /** Without a value. */
  readonly item: Item
  /** A value for each feature that takes it. */
  readonly samples: ReadonlyMap<Feature, Item>
  /** Its rows in the account, as the provider reads them. */
  rows: ReadonlyMap<Feature, readonly Item[]>
  /** Its rows from the service's own view. */
  shown: ReadonlyMap<Feature, readonly Item[]>
  /** Acts on it so far. */
  readonly acts: string[]
}

interface Account {
  readonly subject: Subject
  readonly bench: Bench
  readonly features: readonly Feature[]
  readonly works: readonly Work[]
}

/** Rows of no work, by feature. */
type Others = ReadonlyMap<Feature, readonly Item[]>

const DONE: readonly string[] = writeOutcomes('done')
const OPS = ['add', 'update', 'remove'] as const
const NOUNS = { add: 'addition', update: 'update', remove: 'removal' } as const
const WORKS_PER_KIND = 2
const NEIGHBOURS = 3
const STEPS = 24
const MOST_AT_ONCE = 8
const RATINGS = [4, 8, 6]
const PERCENTS = [25, 50, 40]
const TIMES = { watchlist: 'added_at', history: 'watched_at', ratings: 'rated_at', progress: 'progress_at' } as const
const HOUR_MS = 3_600_000

const isWritten = ({ add, remove }: FeatureSupport): boolean => add || remove

export const entry: readonly Check[] = [
  {
    id: 'writes.other-features',
    group: 'writes',
    title: 'what is written to one feature changes no other feature and no other item, in any order',
    points: 3,
    applies: (subject) =>
      (featuresOf(subject).length > 1 && featuresOf(subject, isWritten).length > 0) ||
      'it has no two features of which one is written',
    async run(subject) {
      const known = new Set<string>()
      // Each walk begins with another feature in a fresh account: some mistakes show at the first or second write only.
      for (const [turn, first] of featuresOf(subject, isWritten).entries())
        await walk(subject, first, randomOf(subject.seed + turn), known)
      return undefined
    },
  },
]

/** @param known what was tried so far: an act upon each state of an item, and after each other act */
async function walk(subject: Subject, first: Feature, random: () => number, known: Set<string>): Promise<void> {
  await using bench = await subject.open({ size: 64 })
  const features = featuresOf(subject)
  const works = await worksOf(subject, bench, features)
  const account: Account = { subject, bench, features, works }
  const acts = featuresOf(subject, isWritten).flatMap((feature): readonly Act[] => {
    const support = subject.description.features[feature] as FeatureSupport
    return OPS.filter((op) => support[op]).map((op) => ({ feature, op, support }))
  })
  const newsOf = (act: Act, work: Work): readonly string[] => {
    const now = wordsOf(act, work)
    const state = features.filter((feature) => work.rows.has(feature)).join()
    return [`${work.item.type} ${state}: ${now}`, `${work.item.type} ${work.acts.at(-1)}, ${now}`].filter(
      (fact) => !known.has(fact),
    )
  }
  let others = await look(account)
  for (let step = 0; step < STEPS; step += 1) {
    const [next] = acts
      .filter(({ feature, op }) => step > 0 || (feature === first && op !== 'update'))
      .map((act) => {
        const able = works
          .filter((work) => canDo(act, work))
          .map((work) => ({ work, rank: newsOf(act, work).length + random() / 2 }))
          .sort((one, other) => other.rank - one.rank)
          .map(({ work }) => work)
        return { act, able, gain: new Set(able.flatMap((work) => newsOf(act, work))).size + random() / 2 }
      })
      .filter(({ able }) => able.length > 0)
      .sort((one, other) => other.gain - one.gain)
    if (next === undefined) return
    const most = Math.min(1 + Math.floor(random() * MOST_AT_ONCE), next.act.support.maxBatch ?? MOST_AT_ONCE)
    const meant = next.able.slice(0, most)
    for (const work of meant) for (const fact of newsOf(next.act, work)) known.add(fact)
    others = await perform(account, next.act, meant, others)
  }
}

/** Some works of each kind that each feature takes, and episodes of one show. */
async function worksOf(subject: Subject, bench: Bench, features: readonly Feature[]): Promise<readonly Work[]> {
  const stocks = new Map<Feature, readonly Item[]>()
  for (const feature of features) {
    const { kinds, add } = subject.description.features[feature] as FeatureSupport
    const count = kinds.length * WORKS_PER_KIND
    if (!add) await bench.simulator.seed(0, feature, count)
    const items = add ? await bench.simulator.fresh(feature, count) : (await bench.read(feature)).rows
    const episodes = add && kinds.includes('episode') ? await bench.simulator.episodes?.(feature, NEIGHBOURS) : []
    stocks.set(feature, [...items, ...(episodes ?? [])])
  }
  return [...stocks].flatMap(([source, items]) =>
    items.map((own): Work => {
      const samples = [...stocks].map(([feature, others]) => {
        const other = others.find(({ type }) => type === own.type) ?? others[0]
        return [feature, feature === source ? own : other] as const
      })
      return {
        item: identityOf(own),
        samples: new Map(samples.filter((sample): sample is [Feature, Item] => sample[1] !== undefined)),
        rows: new Map(),
        shown: new Map(),
        acts: [],
      }
    }),
  )
}

function canDo({ feature, op, support }: Act, { item, rows, samples }: Work): boolean {
  const isThere = rows.has(feature)
  if (!takes(support, item) || (op !== 'remove' && !samples.has(feature))) return false
  if (op === 'update') return isThere && feature !== 'watchlist'
  // A further play is added to a history; of everything else one value is there.
  return op === 'remove' || !isThere || feature === 'history' || support.idempotentAdd === true
}

function takes({ kinds, needsAnyId }: FeatureSupport, item: Item): boolean {
  const { type, film, ids, show_ids: showIds = {} } = item
  const kind = type !== 'anime' ? type : film === true ? 'movie' : 'show'
  return kinds.includes(kind) && (needsAnyId?.some((scheme) => scheme in ids || scheme in showIds) ?? true)
}

/** Writes to one feature of some works, and compares all values of all. */
async function perform(account: Account, act: Act, meant: readonly Work[], others: Others): Promise<Others> {
  const { subject, bench, features, works } = account
  const { feature, op, support } = act
  const setsTime = subject.description.features.history?.sharedTime?.includes(feature) === true
  const before = new Map(works.map((work) => [work, { rows: work.rows, shown: work.shown }]))
  const said = new Map(meant.map((work) => [work, wordsOf(act, work)]))
  const items = meant.map((work, index) => {
    const current = work.rows.get(feature)?.[0]
    const item = op === 'remove' && current !== undefined ? current : valued(act, work)
    return { key: `k${index}`, item, ...defined({ current: op === 'add' ? undefined : current }) }
  })
  const { outcomes } = await bench.write(feature, op, [], { items })
  for (const work of meant) work.acts.push(said.get(work)!)
  const othersNow = await look(account)

  const effects = (op === 'remove' ? support.removalSideEffects : support.writeSideEffects) ?? []
  const storyOf = ({ acts }: Work) => `Done to it so far: ${acts.slice(-5).join(', ')} (--seed ${subject.seed}).`
  for (const work of works) {
    const { rows, shown } = before.get(work)!
    const index = meant.indexOf(work)
    for (const other of features) {
      if (effects.includes(other) || (index !== -1 && other === feature)) continue
      const isTimed = index === -1 || !setsTime
      const change = changeOf(other, rows, work.rows, isTimed) ?? changeOf(other, shown, work.shown, isTimed)
      must(
        change === undefined,
        index === -1
          ? `a write to ${namesOf(meant)}, ${said.get(meant[0]!)}, changed ${other} of ${nameOf(work.item)} ${change}. Name no other item in the request. ${storyOf(meant[0]!)}`
          : `${nameOf(work.item)}: ${said.get(work)} changed ${other} ${change}. Send nothing but ${feature}, or the rest of the entry as it is now. What the service does by itself is declared in ${op === 'remove' ? 'removalSideEffects' : 'writeSideEffects'} of ${feature}. ${storyOf(work)}`,
      )
    }
    if (index === -1 || !support.read) continue
    const { outcome = 'missing' } = outcomes.find(({ key }) => key === `k${index}`) ?? {}
    const [was, is] = [rows.get(feature)?.length ?? 0, work.rows.get(feature)?.length ?? 0]
    const wrong =
      op !== 'remove'
        ? is === 0 && DONE.includes(outcome) && `is reported as ${outcome}, and there is no row`
        : was === 0
          ? is > 0 && 'made a row; what is not there is left as it is'
          : was === 1 && is > 0 && DONE.includes(outcome) && `is reported as ${outcome}, and the row is still there`
    must(wrong === false, `${nameOf(work.item)}: ${said.get(work)} ${wrong}. ${storyOf(work)}`)
  }
  for (const other of features) {
    const change = effects.includes(other)
      ? undefined
      : changeOf(other, others, othersNow, true, (row) => `${nameOf(row)}: `)
    must(
      change === undefined,
      `a write to ${namesOf(meant)}, ${said.get(meant[0]!)}, changed ${other} of other items ${change}. Name no other item in the request. ${storyOf(meant[0]!)}`,
    )
  }
  return othersNow
}

/** Reads everything again, as at the start of a run. */
async function look({ bench: { provider, read, simulator }, features, works }: Account): Promise<Others> {
  await provider.probe('default')
  const others = new Map<Feature, readonly Item[]>()
  const found = new Map(works.map((work) => [work, { rows: new Map(), shown: new Map() }]))
  for (const feature of features) {
    const views = { rows: (await read(feature)).rows, shown: (await simulator.rows?.(0, feature)) ?? [] }
    for (const view of ['rows', 'shown'] as const) {
      const index = createTokenIndex<Item>((row) => row, { within: 'provider' })
      for (const row of views[view]) index.add(row)
      const left = new Set(views[view])
      for (const work of works) {
        const match = index.find(work.item)
        if (match.outcome !== 'match' || match.by !== 'token') continue
        found.get(work)![view].set(feature, match.rows)
        for (const row of match.rows) left.delete(row)
      }
      if (view === 'rows') others.set(feature, [...left])
    }
  }
  for (const work of works) Object.assign(work, found.get(work))
  return others
}

/** The first values that differ; undefined if none does. */
function changeOf(
  feature: Feature,
  before: Work['rows'],
  after: Work['rows'],
  isTimed: boolean,
  prefix: (row: Item) => string = () => '',
): string | undefined {
  const textsOf = (rows: readonly Item[] = []) =>
    rows.map((row) => `${prefix(row)}${textOf(feature, row, isTimed)}`).sort()
  const [was, is] = [textsOf(before.get(feature)), textsOf(after.get(feature))]
  if (was.join() === is.join()) return undefined
  const only = (some: readonly string[], others: readonly string[]) =>
    some.filter((text) => !others.includes(text)).join(' and ')
  const [lost, came] = [only(was, is), only(is, was)]
  return lost === came ? `from ${was.length} to ${is.length} rows` : `from ${lost || 'nothing'} to ${came || 'nothing'}`
}

function textOf(feature: Feature, row: Item, isTimed: boolean): string {
  if (feature === 'ratings') return `a rating of ${row.rating}`
  const { percent, positionMs } = progressOf(row)
  if (feature === 'progress')
    return percent === undefined ? `a position of ${positionMs} ms` : `a position of ${Math.round(percent)} %`
  if (feature === 'history') return `a play${row.watched_at === undefined || !isTimed ? '' : ` at ${row.watched_at}`}`
  return 'an entry'
}

/** The work with a value for the act; another one than before, unless it is added again. */
function valued({ feature, op }: Act, { item, samples, rows, acts }: Work): Item {
  const sample = samples.get(feature) ?? item
  const [current] = rows.get(feature) ?? []
  if (op === 'add' && current !== undefined && feature !== 'history') {
    const { native: _native, library_id: _library, ...same } = current
    return same
  }
  const turn = acts.length
  const time = TIMES[feature as keyof typeof TIMES] as (typeof TIMES)[keyof typeof TIMES] | undefined
  const at = time === undefined ? undefined : sample[time]
  const pick = (values: readonly number[], not: number | undefined) =>
    values.find((value, index) => index >= turn % 2 && value !== not)!
  const durationMs = sample.duration_ms ?? 6_000_000
  const percent = Math.round(progressOf(current ?? ({} as Item)).percent ?? 0)
  return {
    ...item,
    ...(feature === 'history' ? { watched: true } : {}),
    ...(feature === 'ratings' ? { rating: pick(RATINGS, current?.rating) } : {}),
    ...(feature === 'progress'
      ? { progress_ms: Math.floor((durationMs * pick(PERCENTS, percent)) / 100), duration_ms: durationMs }
      : {}),
    ...(time === undefined || at === undefined
      ? {}
      : { [time]: new Date(Date.parse(at) + turn * HOUR_MS).toISOString().replace('.000Z', 'Z') }),
  }
}

function identityOf(item: Item): Item {
  const { type, title, year, ids, show_ids, season, episode, series_title, series_year, film } = item
  return { type, ids, ...defined({ title, year, show_ids, season, episode, series_title, series_year, film }) }
}

function wordsOf({ feature, op }: Act, { rows }: Pick<Work, 'rows'>): string {
  const isThere = rows.has(feature)
  const state = op === 'add' ? (isThere ? ' of what is there' : '') : isThere ? '' : ' of what is not there'
  return `the ${NOUNS[op]}${state} (${feature})`
}

function nameOf(item: Item): string {
  const { type, title, series_title: series, season, episode } = item
  const part = [season, episode].filter((number) => number !== undefined).join('×')
  const name = series ?? title ?? Object.values({ ...item.ids, ...item.show_ids })[0] ?? ''
  return `${type} "${name}"${part === '' ? '' : ` ${part}`}`
}

const namesOf = (works: readonly Work[]) =>
  `${nameOf(works[0]!.item)}${works.length === 1 ? '' : ` and ${works.length - 1} more`}`

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
