// Random lives of a person whose service is killed: actions at any account, between any two runs, also with dates before the
// last run; runs that end at any statement, or between a stored write and its response; and the person's final intent.
import type { Feature } from '@playhead/sdk'
import { type Entry, FakeAccount } from '../sync/world/account.ts'
import { entryOf, seeded } from '../sync/world/scenario.ts'
import { Crash, createWorld, featureCapabilities, pairOf, START_MS } from '../sync/world/world.ts'
import { numberedWork } from '../sync/world/works.ts'

await featureCapabilities()

/** Pairs as `from`, `to`; two-way by default. */
export const SHAPES = {
  'two-way': [['ANN', 'BEN', 'two_way']],
  'one-way': [['ANN', 'BEN', 'one_way']],
  chain: [
    ['ANN', 'BEN', 'two_way'],
    ['BEN', 'CAT', 'two_way'],
  ],
  'two-way and a tracker': [
    ['ANN', 'BEN', 'two_way'],
    ['ANN', 'CAT', 'one_way'],
  ],
  'two trackers': [
    ['ANN', 'BEN', 'one_way'],
    ['ANN', 'CAT', 'one_way'],
  ],
  'a chain one way': [
    ['ANN', 'BEN', 'one_way'],
    ['BEN', 'CAT', 'one_way'],
  ],
} as const satisfies Record<string, readonly (readonly [string, string, 'one_way' | 'two_way'])[]>

export interface Kind {
  readonly feature: Feature
  /** Single plays instead of items. */
  readonly plays?: boolean
  /** The services store no dates. */
  readonly undated?: boolean
}

export const KINDS: readonly Kind[] = [
  { feature: 'history' },
  { feature: 'history', plays: true },
  { feature: 'watchlist' },
  { feature: 'watchlist', undated: true },
  { feature: 'ratings' },
  { feature: 'ratings', undated: true },
  { feature: 'progress' },
]

export interface Life extends Kind {
  readonly shape: keyof typeof SHAPES
  readonly seed: number
}

export const nameOf = ({ feature, plays, undated, shape, seed }: Life) =>
  [shape, feature, plays && 'by play', undated && 'undated', seed].filter(Boolean).join(', ')

export const FILMS = Array.from({ length: 6 }, (_, index) => numberedWork(index))
export const STARTS_MS = START_MS
const ROUNDS = 3
const AFTER = 5
const HOUR_MS = 3_600_000

export interface Killed {
  /** The n-th run of the person's rounds is killed. */
  readonly round: number
  /** At this statement, counted from the start of the run, or after this write was stored. */
  readonly statement?: number
  readonly write?: number
  /** The stored part of that write. Default: all of it. */
  readonly stored?: 'nothing' | 'half'
  /** The run never starts. */
  readonly never?: boolean
}

/** An action of a person before the run of a round. */
export interface Act {
  readonly round: number
  readonly account: string
  readonly film: string
  /** undefined: the item is removed. */
  readonly put?: Omit<Entry, 'eventId'>
  readonly key: string
}

export interface End {
  readonly acts: readonly Act[]
  /** Differences of each account from the person's intent; empty if there are none. */
  readonly wrong: readonly string[]
  /** Differences that are neither listed nor reported. */
  readonly unlisted: readonly string[]
  readonly doubled: readonly string[]
  /** Statements and stored writes of each round. */
  readonly statements: readonly number[]
  readonly writes: readonly number[]
  readonly log: readonly string[]
}

/** @param kills empty: the life without interruptions */
export async function live(life: Life, kills: readonly Killed[], given?: readonly Act[]): Promise<End> {
  const { feature, plays = false, undated = false, shape, seed } = life
  const random = seeded(seed * 7919 + 17)
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!
  const clock = { nowMs: START_MS }
  const pairs = SHAPES[shape]
  const ids = [...new Set(pairs.flatMap(([from, to]) => [from, to]))]
  const incremental = random() < 0.5
  const tellsListsOnly = random() < 0.3
  const accounts = ids.map((id) => {
    const account = new FakeAccount({ id, now: () => clock.nowMs })
    return Object.assign(account, { undated, incremental, tellsListsOnly })
  })
  const on = { [feature]: { enabled: true, add: true, remove: true, ...(plays ? { rewatches: true } : {}) } }
  await using world = await createWorld(
    accounts,
    pairs.map(([from, to, mode]) => pairOf(from, to, { mode, features: on })),
    clock,
    FILMS,
  )
  world.settings = {
    ...world.settings,
    enable_remove: true,
    removal_ratio: 1,
    removal_min: 100,
    verify_after_write: random() < 0.5,
  }
  // People act at accounts from which a change reaches every other account.
  const sources = ids.filter((id) => reaches(pairs, id).size === ids.length)
  const meant = new Map<string, string>()
  const log: string[] = []
  // An entry is a film, or one play of it.
  const keyOf = ({ work, atMs }: Pick<Entry, 'work' | 'atMs'>) =>
    plays ? `${work.name}@${Math.floor(atMs / 1000)}` : work.name
  const valueIn = ({ rating, positionMs }: Pick<Entry, 'rating' | 'positionMs'>) => String(rating ?? positionMs ?? '')
  const off = new Map<string, Entry>()
  const actedAt = new Map<string, FakeAccount>()

  const acts: Act[] = []

  function act(round: number): void {
    const account = world.account(pick(sources))
    // Prefer removed items: people change their minds.
    const gone = [...off.values()].map(({ work }) => work)
    const film = pick(gone.length > 0 && random() < 0.5 ? gone : FILMS)
    const held = account.of(feature).filter(({ work }) => work === film)
    // Until a run ended, the data of other accounts is undetermined.
    if ((actedAt.get(film.name) ?? account) !== account) return
    const dice = random()
    clock.nowMs += 1_000
    if (held.length > 0 && dice < (plays ? 0.4 : 0.6)) {
      const entry = pick(held)
      off.set(film.name, entry)
      return take({ round, account: account.id, film: film.name, key: keyOf(entry) })
    }
    if (held.length > 0 && (feature === 'ratings' || feature === 'progress')) {
      const was = held[0]!
      const value = ((was.rating ?? was.positionMs! / 600_000) + 2 + Math.floor(random() * 5)) % 10 || 3
      return put({ ...entryOf(feature, film, value), atMs: clock.nowMs })
    }
    if (held.length > 0 && !plays) return
    const before = off.get(film.name)
    // Restored unchanged, with a date a little or much earlier, or the current date.
    const back = [0, 0, 5_000, 20_000, ...(feature === 'progress' ? [] : [90_000, 3 * HOUR_MS, 400 * 24 * HOUR_MS])]
    const isAsBefore = before !== undefined && dice > 0.7 && feature !== 'progress'
    const atMs = isAsBefore ? before.atMs : clock.nowMs - pick(back)
    if (held.some((each) => Math.abs(each.atMs - atMs) < 600_000)) return
    const value = dice > 0.8 && before !== undefined ? (before.rating ?? (before.positionMs ?? 0) / 600_000) || 5 : 4
    put({ ...entryOf(feature, film, value), atMs })

    function put(entry: Act['put'] & object): void {
      take({ round, account: account.id, film: film.name, put: entry, key: keyOf(entry) })
    }
  }

  function take(one: Act): void {
    const account = world.account(one.account)
    acts.push(one)
    actedAt.set(one.film, account)
    if (one.put === undefined) {
      const held = account.of(feature).find((entry) => keyOf(entry) === one.key)
      if (held !== undefined) account.drop(feature, held.work, held.eventId)
      meant.delete(one.key)
      log.push(`${one.account} takes off ${one.key}`)
    } else {
      account.put(one.put)
      meant.set(one.key, valueIn(one.put))
      log.push(`${one.account} puts ${one.key} ${valueIn(one.put)} dated ${(one.put.atMs - clock.nowMs) / 1000} s`)
    }
  }

  const first = world.account(sources[0]!)
  for (const film of FILMS.slice(0, 4)) {
    const entry = { ...entryOf(feature, film, 5), atMs: START_MS - 48 * HOUR_MS }
    first.put(entry)
    meant.set(keyOf(entry as Entry), valueIn(entry as Entry))
  }
  for (let run = 0; run < 2; run += 1) await world.run()

  const statements: number[] = []
  const writes: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    if (given === undefined) for (let count = 1 + Math.floor(random() * 5); count > 0; count -= 1) act(round)
    else
      for (const one of given.filter((each) => each.round === round)) {
        clock.nowMs += 1_000
        take(one)
      }
    const kill = kills.find((each) => each.round === round)
    const counted = 1_000_000
    world.crashAfter(kill?.statement ?? counted)
    let stored = 0
    const restore = watchWrites(accounts, (write, items) => {
      if (kill?.write === undefined || stored < kill.write) {
        stored += 1
        return write(items)
      }
      const left = { nothing: 0, half: Math.floor(items.length / 2) }[kill.stored ?? 'nothing']
      const sent = kill.stored === undefined ? items : items.slice(0, left)
      world.crashAfter(0)
      return (sent.length === 0 ? Promise.resolve() : write(sent)).then(() => {
        throw new Crash('killed before the answer')
      })
    })
    const ran =
      kill?.never === true
        ? undefined
        : await world.run().catch((error: unknown) => {
            if (!(error instanceof Crash)) throw error
          })
    restore()
    statements.push(kill === undefined ? counted - world.statementsLeft() : 0)
    writes.push(stored)
    world.recoverDatabase()
    log.push(`run ${ran?.report.result ?? 'killed'}`)
    if (kill !== undefined) await world.restart()
    if (ran?.report.result === 'ok') actedAt.clear()
    // Sometimes nothing else happens in between.
    else if (seed % 3 === 0) {
      log.push(`run ${(await world.run()).report.result}`)
      actedAt.clear()
    }
  }
  for (let run = 0; run < AFTER; run += 1) {
    const ran = await world.run()
    log.push(`run ${ran.report.result}`)
  }
  const listed = (await world.engine.unresolved.list({ runId: 'all' })).items
  const reasonsOf = (film: string) => {
    const title = FILMS.find((one) => one.name === film)?.title
    return [...new Set(listed.flatMap(({ item, reason_code }) => (item.title === title ? reason_code : [])))]
  }
  const wrong: string[] = []
  const unlisted: string[] = []
  const doubled: string[] = []
  for (const account of accounts) {
    const entries = account.of(feature)
    const keys = entries.map(keyOf)
    for (const key of new Set(keys))
      if (keys.filter((one) => one === key).length > 1) doubled.push(`${account.id} ${key}`)
    const found = new Map(entries.map((entry) => [keyOf(entry), valueIn(entry)]))
    for (const key of new Set([...found.keys(), ...meant.keys()])) {
      if (found.get(key) === meant.get(key)) continue
      const reasons = reasonsOf(key.replace(/@.*/, ''))
      const text = `${account.id} ${key}: ${found.get(key) ?? 'nothing'} instead of ${meant.get(key) ?? 'nothing'}`
      wrong.push(`${text}, listed: ${reasons.join(', ') || 'no'}`)
      if (reasons.length === 0) unlisted.push(text)
    }
  }
  return { acts, wrong, unlisted, doubled, statements, writes, log }
}

type Items = Parameters<FakeAccount['write']>[1]['items']
type Answer = ReturnType<FakeAccount['write']>

function watchWrites(
  accounts: readonly FakeAccount[],
  watch: (write: (items: Items) => Answer, items: Items) => Answer,
): () => void {
  const before = accounts.map(({ write }) => write)
  for (const account of accounts) {
    const { write } = account
    account.write = (instance, request) =>
      watch((items) => Reflect.apply(write, account, [instance, { ...request, items }]), request.items)
  }
  return () => {
    for (const [index, account] of accounts.entries()) account.write = before[index]!
  }
}

function reaches(pairs: readonly (readonly [string, string, string])[], id: string): ReadonlySet<string> {
  const found = new Set([id])
  for (const _ of pairs)
    for (const [from, to, mode] of pairs) {
      if (found.has(from)) found.add(to)
      if (mode === 'two_way' && found.has(to)) found.add(from)
    }
  return found
}
