// One life: its world, what its people did, and what the accounts showed when.
import type { Feature, Ids, Item, Origin, RunRequest } from '@playhead/sdk'
import type { Pair } from '../../../../plugins/services/sync/pairs/pair.ts'
import { type Entry, FakeAccount, type Traits } from './account.ts'
import { Mapping } from './mapping.ts'
import {
  type Break,
  type Deed,
  type Edge,
  type End,
  isLikeStamp,
  type Pass,
  type Shown,
  type Violation,
  wasReadBetween,
} from './meaning.ts'
import { seeded } from './scenario.ts'
import { behave } from './traits.ts'
import { type Start, type Values, valuesOf } from './words.ts'
import { Crash, createWorld, pairOf, type Ran, START_MS, type World } from './world.ts'
import { numberedWork, toItem, type Work, WORKS } from './works.ts'

const DAY_MS = 86_400_000
const QUIET_MS = 13 * 3_600_000
/** Plays of one viewing differ by less. */
const SAME_VIEWING_MS = 5 * 60_000

const NOT_SENT: readonly string[] = ['held', 'deferred', 'filtered']

/** Why an undo may leave something: it would take more than the run added. */
const UNDO_EXCUSES: readonly string[] = ['exact_play_unknown']

const dayOf = (atMs: number) => Math.floor(atMs / DAY_MS)

type Holdings = ReadonlyMap<string, string>

const valueIn = ({ rating, positionMs }: Pick<Entry, 'rating' | 'positionMs'>) => String(rating ?? positionMs ?? '')

export class Life {
  readonly start: Start
  readonly world: World
  readonly log: string[] = []
  readonly deeds: Deed[] = []
  readonly passes: Pass[] = []
  readonly breaks: Break[] = []
  readonly confirmed = new Set<string>()
  /** Mirrors that were confirmed at any time. */
  private readonly everConfirmed = new Set<string>()
  readonly mapping = new Mapping()
  /** Faults found during the life. */
  readonly broken: Violation[] = []
  edges: Edge[] = []
  private undos = 0
  saved: Uint8Array | undefined
  killAt: number | undefined
  private readonly accounts: ReadonlyMap<string, FakeAccount>
  private readonly works: ReadonlyMap<string, Work>
  /** Some account knows the days of plays only. */
  private get hasDays(): boolean {
    return [...this.accounts.values()].some(({ traits }) => traits.isDated === true)
  }

  /** Profiles of one account at a service are one account. */
  private readonly nodes = new Map<string, string>()
  private readonly names = new Map<string, string>()
  private readonly viewings = new Map<string, number>()
  private readonly wrote: string[] = []
  /** What runs and undos changed. */
  private readonly made = new Map<
    string,
    { readonly before: Holdings; readonly after: Holdings; readonly atMs: number }
  >()
  private readonly anchors: readonly Work[]
  /** Removals of a person say nothing until the next complete run: nothing is known of before. */
  private isUnknown = true

  private constructor(start: Start, world: World, accounts: ReadonlyMap<string, FakeAccount>, works: readonly Work[]) {
    this.start = start
    this.world = world
    this.accounts = accounts
    this.works = new Map(works.map((work) => [work.name, work]))
    this.anchors = works.filter(({ name }) => name.startsWith('film '))
  }

  static async begin(start: Start, seed: number, reversed: boolean): Promise<Life> {
    const clock = { nowMs: START_MS }
    const random = seeded(seed)
    const accounts = new Map<string, FakeAccount>()
    const nodeOf = (name: string) =>
      start.accounts
        .get(name)
        ?.find((word) => word.startsWith('profile-of='))
        ?.slice('profile-of='.length) ?? name
    for (const [name, words] of start.accounts) {
      const [id = name, instance = 'default'] = name.split('@')
      const account = new FakeAccount({ id, now: () => clock.nowMs, random })
      account.instance = instance
      account.uid = `uid-${name}`
      const of = words.find((word) => word.startsWith('profile-of='))
      behave(
        account,
        words.filter((word) => word !== of),
      )
      accounts.set(name, account)
    }
    for (const [name, account] of accounts) {
      const shared = accounts.get(nodeOf(name))!
      if (shared !== account) account.sharesDataOf(shared)
    }
    const edges: Edge[] = []
    const pairs = start.pairs.map((words): Pair => {
      const [from = '', arrow = '', to = '', list = '', ...rest] = words
      const isByPlay = rest.includes('by-play')
      const mode = arrow === '<>' ? 'two_way' : 'one_way'
      const options = {
        ...valuesOf(rest.filter((word) => word.includes('='))),
        ...(isByPlay ? { rewatches: true } : {}),
        ...(arrow === '>>' ? { remove_mode: 'mirror' } : {}),
        ...(rest.includes('no-remove') ? { remove: false } : {}),
      }
      const features = list.split(',') as Feature[]
      const id = `${from}-${to}`
      for (const feature of features)
        edges.push({
          pair: id,
          from: nodeOf(from),
          to: nodeOf(to),
          mode: arrow === '>>' ? 'mirror' : mode,
          feature,
          isByPlay: feature === 'history' && isByPlay,
          ...(rest.includes('mode=only_new') ? { isOnlyNew: true } : {}),
        })
      const [source, source_instance = 'default'] = from.split('@')
      const [target, target_instance = 'default'] = to.split('@')
      return {
        ...pairOf(source!, target!, {
          mode,
          features: Object.fromEntries(features.map((feature) => [feature, optionsOf(feature, options)])),
        }),
        id,
        source_instance,
        target_instance,
      }
    })
    const works = [
      ...Array.from({ length: start.anchors }, (_, index) => numberedWork(index)),
      ...start.works,
      ...WORKS,
    ]
    const world = await createWorld([...accounts.values()], reversed ? pairs.toReversed() : pairs, clock, works)
    world.settings = { ...world.settings, enable_remove: true, ...booleans(start.settings) }
    const life = new Life(start, world, accounts, works)
    life.edges = edges
    for (const account of accounts.keys()) life.nodes.set(account, nodeOf(account))
    for (const [name = '', ...others] of start.same) for (const other of others) life.names.set(other, name)
    for (const account of accounts.keys()) if (nodeOf(account) === account) life.anchor(account)
    return life
  }

  get life() {
    const { deeds, passes, breaks, edges, confirmed, everConfirmed } = this
    const traits = [...this.accounts.values()].map((account) => account.traits)
    const largest = (of: (traits: Traits) => number | undefined, least: number) =>
      Math.max(least, ...traits.map((one) => of(one) ?? 0))
    return {
      deeds,
      passes,
      breaks,
      edges,
      confirmed,
      everConfirmed,
      cacheMsOf: (account: string) => this.account(account).traits.cacheMs ?? 0,
      sameRating: largest(({ ratingStep }) => ratingStep, 1),
      samePositionMs: largest(({ positionStepMs }) => positionStepMs, 60_000),
    }
  }

  account(name: string): FakeAccount {
    const account = this.accounts.get(name)
    if (account === undefined) throw new RangeError(`there is no account ${name}`)
    return account
  }

  work(name: string): Work {
    const work = this.works.get(name)
    if (work === undefined) throw new RangeError(`there is no work ${name}`)
    return work
  }

  private nameOf(work: string): string {
    return this.names.get(work) ?? work
  }

  featuresOf(name: string): Feature[] {
    const account = this.nodes.get(name) ?? name
    return [
      ...new Set(this.edges.flatMap(({ from, to, feature }) => (from === account || to === account ? [feature] : []))),
    ]
  }

  private readonly seen = new Map<string, { readonly of: readonly Entry[]; readonly shown: ReadonlySet<string> }>()
  private readonly lost = new Map<string, number>()
  /** The rows of the accounts at the end of the last run. */
  private known: ReadonlyMap<string, string> = new Map()
  private readonly wasHidden = new Set<string>()
  /** Hidden so soon after a write that it looks like a read from a cache. */
  private readonly wasHiddenAtOnce = new Set<string>()
  /** Since when an account shows it, and whether the engine wrote it. */
  private readonly since = new Map<string, { readonly atMs: number; readonly isWritten: boolean }>()
  /** When a run last made an account show it. */
  private readonly writtenAtMs = new Map<string, number>()

  /**
   * No run has read it there yet. A service that confirms a write and does not store it looks the same, so what is taken off
   * then may be written again.
   */
  private wasNeverRead(at: string, feature: Feature, work: string, viewing?: string): boolean {
    const account = this.account(at)
    const since = this.since.get(
      [at, feature, this.nameOf(work), ...(viewing === undefined ? [] : [viewing])].join('|'),
    )
    // The current run wrote it.
    if (since === undefined) return true
    const { cacheMs = 0 } = account.traits
    if (since.isWritten && cacheMs === 0 && account.support[feature]?.verifyAfterWrite === true) return false
    const seenMs = since.atMs + cacheMs
    return !wasReadBetween(this, this.nodes.get(at) ?? at, seenMs, Infinity)
  }

  /** Whether a person ever took it off, gave the target of a mirror up, or never put it anywhere. */
  private mayGo(account: string, key: string): boolean {
    const [, feature, work, viewing] = key.split('|')
    // A pair by item removes all plays of a work.
    const isByPlay = this.edges.every((edge) => edge.feature !== feature || edge.isByPlay)
    const isOfPerson =
      this.anchors.some(({ name }) => name === work) ||
      this.deeds.some((deed) => deed.op === 'put' && deed.feature === feature && deed.work === work)
    return (
      !isOfPerson ||
      this.wasHidden.has(work!) ||
      this.deeds.some(
        (deed) =>
          deed.op === 'drop' &&
          deed.feature === feature &&
          deed.work === work &&
          (deed.viewing === viewing || (deed.viewing === undefined && !isByPlay)),
      ) ||
      this.breaks.some((one) => one.kind === 'undo' && one.feature === feature && one.work === work) ||
      this.edges.some(({ pair, to, mode }) => mode === 'mirror' && to === account && this.confirmed.has(pair))
    )
  }

  /** Notes what accounts do not show any more. */
  look(isByEngine = false): void {
    for (const [name, account] of this.accounts) {
      const before = this.seen.get(name)
      const of = account.entries
      if (before?.of === of) continue
      const shown = new Set(
        of.flatMap((entry) => {
          const base = [name, entry.feature, this.nameOf(entry.work.name)]
          return entry.feature === 'history'
            ? [base.join('|'), [...base, this.viewingOf(entry)].join('|')]
            : [base.join('|')]
        }),
      )
      for (const key of before?.shown ?? []) {
        if (shown.has(key)) continue
        this.lost.set(key, this.world.nowMs)
        if (isByEngine && !this.mayGo(name, key))
          this.broken.push({ law: 1, text: `${key} was removed, and no person took it off` })
      }
      for (const key of shown) {
        if (before?.shown.has(key) === true) continue
        this.since.set(key, { atMs: this.world.nowMs, isWritten: isByEngine })
        if (!isByEngine) continue
        // A play is also what is known of its title as a whole.
        for (const each of [key, key.split('|').slice(0, 3).join('|')]) this.writtenAtMs.set(each, this.world.nowMs)
      }
      this.seen.set(name, { of, shown })
    }
  }

  private forgetLost(name: string, work?: string): void {
    for (const key of this.lost.keys())
      if (key.startsWith(`${name}|`) && (work === undefined || key.split('|')[2] === work)) this.lost.delete(key)
  }

  // People.

  private anchor(name: string): void {
    for (const feature of this.featuresOf(name))
      for (const [index, work] of this.anchors.entries())
        this.store(
          name,
          feature,
          work,
          String(2 + 2 * (index % 5)),
          `anchor ${index}`,
          START_MS - 90 * DAY_MS + index * DAY_MS,
        )
    this.account(name).showsAll()
  }

  private timed(): void {
    this.world.advance(61_000)
  }

  put(at: string, name: string, value = '5', feature = this.featuresOf(at)[0]!, agoMs?: number): void {
    const work = this.work(name)
    if (!isPossible(feature, work) || this.account(at).missing.has(name) || this.account(at).hidden.has(name)) return
    this.timed()
    this.store(at, feature, work, value, value, agoMs === undefined ? undefined : this.world.nowMs - agoMs)
  }

  private store(at: string, feature: Feature, work: Work, value: string, viewing: string, atMs?: number): void {
    const account = this.account(at)
    const before = this.shown(at, feature, work.name)
    // A listed title is not listed again.
    if (feature === 'watchlist' && before !== undefined) return
    const name = `${work.name} ${viewing}`
    const known = this.viewings.get(name)
    const playedMs = atMs ?? known ?? this.world.nowMs
    if (feature === 'history') {
      if (this.plays(at, work.name, viewing) > 0) return
      // Two viewings on one day could not be distinguished.
      const isNew = known === undefined && this.hasDays
      if (isNew && this.viewingOf({ work, atMs: playedMs }) !== undefined) return
      this.viewings.set(name, playedMs)
    }
    const entry = {
      work,
      feature,
      ...(feature === 'ratings' ? { rating: Number(value) } : {}),
      ...(feature === 'progress' ? { positionMs: Number(value) * 600_000 } : {}),
      ...(feature === 'history' ? { atMs: playedMs } : atMs === undefined ? {} : { atMs }),
    }
    account.put(entry)
    this.note(at, feature, work, 'put', before)
    if (feature === 'history') this.note(at, feature, work, 'put', undefined, viewing)
  }

  private note(
    at: string,
    feature: Feature,
    work: Work,
    op: Deed['op'],
    before: Shown,
    viewing?: string,
    { entryMs, isThroughPlayhead = false }: { readonly entryMs?: number; readonly isThroughPlayhead?: boolean } = {},
  ): void {
    const account = this.account(at)
    const { traits } = account
    const value = op === 'put' ? (this.shown(at, feature, work.name, viewing) ?? '') : ''
    const slackMs =
      Math.abs(traits.aheadMs ?? 0) + (traits.isDated === true ? DAY_MS + Math.abs(traits.zoneMs ?? 0) : 0)
    const atMs = entryMs ?? this.world.nowMs
    const isDated = op === 'put' && !(account.undated && (feature === 'watchlist' || feature === 'ratings'))
    this.deeds.push({
      atMs,
      account: this.nodes.get(at) ?? at,
      feature,
      work: this.nameOf(work.name),
      ...(viewing === undefined ? {} : { viewing }),
      op,
      value,
      before,
      dated: isDated ? [atMs - slackMs, atMs + slackMs] : undefined,
      storedMs: atMs + (traits.aheadMs ?? 0),
      by: account.identity,
      isAway: false,
    })
    // A service without dates does not show that a title was put back, or rated the same again.
    const key = JSON.stringify([at, feature, this.nameOf(work.name), viewing ?? null])
    const known = this.known.get(key)
    // Nor what it had before a write that no read has shown: a service that lost the write looks the same.
    const run = [...this.made.values()].at(-1)
    const isUnread = run !== undefined && !wasReadBetween(this, this.nodes.get(at) ?? at, run.atMs, Infinity)
    const isUnwritten = isUnread && run.before.get(key) === value
    // A value that a run has just written, given again, looks like that write, dated by the clock of the service.
    const isLikeWrite =
      isUnread &&
      known === value &&
      run.after.get(key) === value &&
      run.before.get(key) !== value &&
      isLikeStamp(this.world.nowMs - run.atMs)
    // Playhead knows what people change through it.
    const isNeverRead = !isThroughPlayhead && this.wasNeverRead(at, feature, work.name, viewing)
    const isNoNews =
      op === 'put' && ((known === value && (!isDated || isNeverRead)) || (isUnwritten && !isDated) || isLikeWrite)
    if (isNoNews || (op === 'drop' && (this.isUnknown || isNeverRead)))
      this.doubt(feature, this.nameOf(work.name), viewing)
  }

  drop(at: string, name: string, viewing?: string, feature = this.featuresOf(at)[0]!): void {
    const account = this.account(at)
    const work = this.work(name)
    const own = feature
    if (this.shown(at, own, name) === undefined || account.hidden.has(name)) return
    this.timed()
    const before = this.shown(at, own, name)
    if (own !== 'history') {
      account.drop(own, work)
      this.note(at, own, work, 'drop', before)
      return
    }
    const plays = account.of('history').filter((entry) => entry.work.name === name)
    const dropped = plays.filter((entry) => viewing === undefined || this.viewingOf(entry) === viewing)
    const names = new Set(dropped.map((entry) => this.viewingOf(entry)))
    for (const entry of dropped) account.drop('history', work, entry.eventId)
    for (const one of names) if (one !== undefined) this.note(at, own, work, 'drop', '', one)
    if (dropped.length === 0 || dropped.length < plays.length) return
    this.note(at, own, work, 'drop', before)
    // A play of it that no read has shown may be written again.
    if ([...names].some((one) => one !== undefined && this.wasNeverRead(at, own, name, one)))
      this.doubt(own, this.nameOf(name), undefined)
  }

  retime(at: string, name: string, viewing: string, byMs: number): void {
    const account = this.account(at)
    this.timed()
    account.entries = account.entries.map((entry) =>
      entry.feature === 'history' && entry.work.name === name && this.viewingOf(entry) === viewing
        ? { ...entry, atMs: entry.atMs + byMs }
        : entry,
    )
    this.retimed.set(`${name} ${viewing}`, (this.viewings.get(`${name} ${viewing}`) ?? 0) + byMs)
  }

  /** The time of a play after a person corrected it. */
  private readonly retimed = new Map<string, number>()

  async edit(at: string, op: string, name: string, value = '5'): Promise<void> {
    const account = this.account(at)
    const feature = this.featuresOf(at)[0]!
    const work = this.work(name)
    const before = this.shown(at, feature, name)
    if (!isPossible(feature, work) || (op === 'drop') === (before === undefined)) return
    if (feature === 'watchlist' && op === 'put' && before !== undefined) return
    const viewings = new Set(
      account.of('history').flatMap((entry) => (entry.work === work ? (this.viewingOf(entry) ?? []) : [])),
    )
    this.timed()
    const at_ = new Date(this.world.nowMs).toISOString()
    const item: Item = {
      ...toItem(account.numbered(work), account.schemes),
      ...(op === 'drop' || feature !== 'ratings' ? {} : { rating: Number(value), rated_at: at_ }),
      ...(op === 'drop' || feature !== 'watchlist' ? {} : { added_at: at_ }),
    }
    const [scheme, id] = Object.entries(item.ids)[0] ?? []
    await this.world.change({
      provider: account.id,
      instance: account.instance,
      feature,
      op: op === 'drop' ? 'remove' : before === undefined ? 'add' : 'update',
      items: [{ key: `${work.type}:${scheme}:${id}`, item }],
    })
    const how = { isThroughPlayhead: true }
    if (this.shown(at, feature, name) !== before) this.note(at, feature, work, op as Deed['op'], before, undefined, how)
    for (const viewing of viewings)
      if (this.plays(at, name, viewing) === 0) this.note(at, feature, work, 'drop', '', viewing, how)
  }

  signIn(at: string, person: string): void {
    const account = this.account(at)
    const { identity } = account
    account.signInAs(person)
    if (account.identity === identity) return
    // The data of the person before are out of reach, and those of this one were there before. What this one took off earlier
    // stays taken off.
    for (const deed of this.deeds)
      if (deed.account === at) deed.isAway = deed.op === 'put' || deed.by !== account.identity
    for (const { pair, from, to } of this.edges) if (from === at || to === at) this.confirmed.delete(pair)
    this.look()
    this.forgetLost(at)
    if (account.entries.length === 0) this.anchor(at)
    else
      for (const entry of account.entries)
        this.note(at, entry.feature, entry.work, 'put', undefined, undefined, { entryMs: entry.atMs })
    this.forget()
  }

  /** A server that hides a title proves that it is absent: it may go elsewhere until it is shown again. */
  hide(at: string, name: string): void {
    this.account(at).hidden.add(name)
    this.wasHidden.add(name)
    const written = [...this.writtenAtMs].filter(([key]) => key.startsWith(`${at}|`) && key.split('|')[2] === name)
    if (written.some(([, atMs]) => isLikeStamp(this.world.nowMs - atMs))) this.wasHiddenAtOnce.add(name)
  }

  /** Two works become one at a service. In its lists, the one that goes looks like a title that its person took off. */
  merge(at: string, name: string, into: string): void {
    const work = this.work(name)
    const before = this.featuresOf(at).map((feature) => [feature, this.shown(at, feature, name)] as const)
    this.account(at).merge(work, this.work(into))
    for (const [feature, shown] of before) if (shown !== undefined) this.note(at, feature, work, 'drop', shown)
  }

  lose(at: string, name: string): void {
    const account = this.account(at)
    const work = this.work(name)
    account.drop('history', work)
    for (const feature of ['ratings', 'progress', 'watchlist'] as const) account.drop(feature, work)
    account.gone = [...account.gone.filter((one) => one.name !== name), work]
    account.missing.add(name)
    // The entry is gone with its file: no person took it off.
    this.look()
    this.forgetLost(at, name)
    for (const deed of this.deeds) if (deed.account === at && deed.work === name) deed.isAway = true
  }

  // Runs.

  async run(words: readonly string[]): Promise<void> {
    const [pairId] = words.filter((word) => this.world.pairs.some(({ id }) => id === word))
    const request: RunRequest = {
      ...(pairId === undefined ? {} : { pair_id: pairId }),
      ...(words.includes('approve') ? { allow_mass_delete: true } : {}),
      ...(words.includes('confirm-mirror') ? { confirm_mirror: true } : {}),
      ...(words.includes('dry') ? { dry_run: true } : {}),
    }
    if (words.includes('confirm-mirror'))
      for (const { pair } of this.edges)
        if (pairId === undefined || pair === pairId) {
          this.confirmed.add(pair)
          this.everConfirmed.add(pair)
        }
    const startedAtMs = this.world.nowMs + 60_000
    const readBefore = new Map([...this.accounts].map(([name, { reads }]) => [name, reads.length]))
    const hasFaults = [...this.accounts.values()].some(
      ({ readFault, readFaults, writeFaults, hidden }) =>
        readFault !== undefined || readFaults.length > 0 || writeFaults.length > 0 || hidden.size > 0,
    )
    const isKilled = this.killAt !== undefined
    if (this.killAt !== undefined) this.world.crashAfter(this.killAt)
    this.killAt = undefined
    const before = this.everything()
    let ran: Ran | undefined
    try {
      ran = await this.world.run(request)
      if (isKilled && this.world.statementsLeft() < 0) ran = undefined
    } catch (error) {
      if (!(error instanceof Crash) && !isKilled) throw error
    }
    if (isKilled) await this.world.restart()
    for (const account of this.accounts.values()) {
      account.readFaults.length = 0
      account.writeFaults.length = 0
      account.beforeWrite = undefined
    }
    this.known = this.everything()
    this.log.push(`${['run', ...words].join(' ')}: ${ran === undefined ? 'killed' : briefly(ran)}`)
    if (ran === undefined || request.dry_run === true) return
    if (ran.writes.length > 0) {
      this.wrote.push(ran.report.run_id)
      this.made.set(ran.report.run_id, { before, after: this.everything(), atMs: this.world.nowMs })
    }
    const isComplete = ran.report.pairs.every(({ features }) =>
      features.every(({ status }) => status === 'ok' || status === 'nothing_to_do' || status === 'partial'),
    )
    if (hasFaults || !isComplete) return
    const readsAtMs = new Map<string, number[]>()
    for (const [name, { reads }] of this.accounts) {
      const node = this.nodes.get(name) ?? name
      const times = reads.slice(readBefore.get(name)).map(({ atMs }) => atMs)
      readsAtMs.set(node, [...(readsAtMs.get(node) ?? []), ...times])
    }
    this.passes.push({ startedAtMs, readsAtMs })
    if (pairId === undefined && this.world.pairs.every(({ enabled }) => enabled)) this.isUnknown = false
  }

  async undo(back: number): Promise<void> {
    const runId = this.wrote.at(-back)
    if (runId === undefined) return
    this.timed()
    const hasFaults = [...this.accounts.values()].some(({ writeFaults }) => writeFaults.length > 0)
    const before = this.everything()
    const made = this.made.get(runId)
    // An undo may be repeated.
    const own = `${runId}-undo-${(this.undos += 1)}`
    const report = await this.world.engine.undo(
      { runId: own, settings: this.world.settings, startedAtMs: this.world.nowMs, pairs: this.world.pairs },
      { event: () => {} },
      new AbortController().signal,
      runId,
    )
    this.log.push(`  undone: ${report.undone}`)
    // A run that changed nothing has nothing to undo.
    if (report.undone > 0) this.wrote.push(own)
    const after = this.everything()
    this.made.set(own, { before, after, atMs: this.world.nowMs })
    for (const [key, value] of before) {
      const [account, feature, work, viewing] = JSON.parse(key) as [string, string, string, string | null]
      const since = this.since.get([account, feature, work, ...(viewing === null ? [] : [viewing])].join('|'))
      const isAsWritten = made?.after.get(key) === value
      const isOfPerson = !isAsWritten || (since?.isWritten === false && !isLikeStamp(since.atMs - made!.atMs))
      if (
        made !== undefined &&
        since !== undefined &&
        since.atMs > made.atMs - 1 &&
        isOfPerson &&
        after.get(key) !== value
      )
        this.broken.push({ law: 1, text: `the undo took ${key}, which a person put there since` })
    }
    const reasons = Object.keys(report.not_undone)
    const isExcused = reasons.length > 0 && (hasFaults || reasons.every((reason) => UNDO_EXCUSES.includes(reason)))
    for (const key of new Set([...(made?.before.keys() ?? []), ...(made?.after.keys() ?? [])])) {
      const [account, feature, work] = JSON.parse(key) as string[]
      const isTouched = this.deeds.some(
        (deed) => deed.atMs > made!.atMs && deed.account === account && deed.feature === feature && deed.work === work,
      )
      // By item, a play that another one took the place of since is not restored.
      const isOtherPlay = (name: string) => {
        const [at, what, which] = JSON.parse(name) as string[]
        return at === account && what === feature && which === work && !made!.after.has(name)
      }
      // The undo cannot know what a cached read does not show yet.
      const isUnseen = this.world.nowMs - made!.atMs < (this.account(account!).traits.cacheMs ?? 0)
      if (isTouched || isUnseen || (feature === 'history' && [...before.keys()].some(isOtherPlay))) continue
      const [old, own, now] = [made!.before.get(key), made!.after.get(key), before.get(key)]
      if (old === own || own !== now || after.get(key) === old || isExcused) continue
      this.broken.push({ law: 1, text: `${key} is ${after.get(key)} after the undo, ${old} was there before the run` })
    }
    // What another undo left is open after one that failed: the next run may make its write.
    if (hasFaults)
      for (const each of this.breaks.filter(({ kind }) => kind === 'undo'))
        this.breaks.push({ ...each, left: new Map(), changed: new Set() })
    const changed = new Map<string, Break>()
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(key) === after.get(key)) continue
      const [account, feature, work, viewing] = JSON.parse(key) as [string, Feature, string, string | null]
      const name = JSON.stringify([feature, work, viewing])
      const left = [...this.accounts.keys()].map(
        (name) => [name, after.get(JSON.stringify([name, feature, work, viewing]))] as const,
      )
      changed.set(name, {
        atMs: this.world.nowMs,
        kind: 'undo',
        feature,
        work,
        left: new Map(left),
        changed: new Set([...(changed.get(name)?.changed ?? []), account]),
        ...(viewing === null ? {} : { viewing }),
      })
    }
    this.breaks.push(...changed.values())
  }

  async restore(): Promise<void> {
    if (this.saved === undefined) return
    await this.world.restore(this.saved)
    this.forget()
  }

  /** The engine knows nothing of before: what was not carried yet is doubtful. */
  forget(): void {
    this.isUnknown = true
    for (const { feature, work, viewing } of [...this.deeds]) {
      const shown = this.edges
        .filter((edge) => edge.feature === feature)
        .flatMap(({ from, to }) => [from, to])
        .map((account) => this.shown(account, feature, work, viewing))
      if (
        new Set(shown).size > 1 &&
        this.deeds.some(
          (deed) => deed.feature === feature && deed.work === work && deed.op === 'drop' && !this.isCarried(deed),
        )
      )
        this.doubt(feature, work, viewing)
    }
  }

  /** Some account showed what the removal made, after it, where a person then put it back. */
  private isCarried(drop: Deed): boolean {
    return this.deeds.some(
      (deed) =>
        deed.atMs > drop.atMs &&
        deed.op === 'put' &&
        deed.work === drop.work &&
        deed.viewing === drop.viewing &&
        deed.feature === drop.feature &&
        deed.before === undefined,
    )
  }

  private doubt(feature: Feature, work: string, viewing: string | undefined): void {
    this.breaks.push({
      atMs: this.world.nowMs,
      kind: 'forgotten',
      feature,
      work,
      left: new Map(),
      changed: new Set(),
      ...(viewing === undefined ? {} : { viewing }),
    })
  }

  pairs(change: (pair: Pair) => Pair): void {
    this.world.pairs = this.world.pairs.map(change)
  }

  rename(from: string, to: string): void {
    this.edges = this.edges.map((edge) => (edge.pair === from ? { ...edge, pair: to } : edge))
  }

  turn(id: string): void {
    this.edges = this.edges.map((edge) => (edge.pair === id ? { ...edge, from: edge.to, to: edge.from } : edge))
  }

  /** Runs without further acts until nothing is written; law 7 if that never ends. */
  async settle(): Promise<Violation[]> {
    this.pairs((pair) => ({ ...pair, enabled: true }))
    for (const account of this.accounts.values()) {
      account.hidden.clear()
      account.readFault = undefined
    }
    let quiet = 0
    const faults = () => [...this.accounts.values()].reduce((sum, { readFaults }) => sum + readFaults.length, 0)
    let last: Ran | undefined
    const sentLast = () => last!.outcomes.filter(({ outcome }) => !NOT_SENT.includes(outcome)).length
    // Faults that are left over may end quiet runs early.
    for (let run = 0; run < 12 && (quiet < 2 || run < 4 || sentLast() > 0); run += 1) {
      const before = faults()
      this.world.advance(QUIET_MS)
      last = await this.world.run()
      this.look(true)
      quiet = last.writes.length === 0 && faults() === before ? quiet + 1 : 0
      this.log.push(`quiet run: ${briefly(last)}`)
    }
    if (quiet >= 2 && sentLast() === 0) return []
    return [{ law: 7, text: `it never ends: the last quiet run sent ${sentLast()}: ${briefly(last!)}` }]
  }

  // The current entries.

  shown(at: string, feature: Feature, work: string, viewing?: string): Shown {
    const entries = this.account(at)
      .of(feature)
      .filter((entry) => this.nameOf(entry.work.name) === this.nameOf(work))
    if (viewing !== undefined) return entries.some((entry) => this.viewingOf(entry) === viewing) ? '' : undefined
    return entries[0] === undefined ? undefined : valueIn(entries[0])
  }

  plays(at: string, work: string, viewing: string): number {
    return this.account(at)
      .of('history')
      .filter((entry) => entry.work.name === work && this.viewingOf(entry) === viewing).length
  }

  private viewingOf({ work, ...entry }: Pick<Entry, 'work' | 'atMs' | 'playedMs'>): string | undefined {
    const atMs = entry.playedMs ?? entry.atMs
    let nearest: string | undefined
    let bestMs = Infinity
    for (const times of [this.viewings, this.retimed])
      for (const [name, time] of times) {
        const isNear = Math.abs(time - atMs) < SAME_VIEWING_MS || (this.hasDays && dayOf(time) === dayOf(atMs))
        if (!isNear || !name.startsWith(`${work.name} `) || Math.abs(time - atMs) >= bestMs) continue
        bestMs = Math.abs(time - atMs)
        nearest = name.slice(work.name.length + 1)
      }
    return nearest
  }

  private everything(): Map<string, string> {
    const found = new Map<string, string>()
    for (const [name, account] of this.accounts)
      for (const entry of account.entries) {
        found.set(JSON.stringify([name, entry.feature, entry.work.name, null]), valueIn(entry))
        if (entry.feature === 'history')
          found.set(JSON.stringify([name, entry.feature, entry.work.name, this.viewingOf(entry) ?? '?']), '')
      }
    return found
  }

  /** Two works have one id, at one account or two. */
  private isAmbiguous(): boolean {
    const owners = new Map<string, string>()
    for (const account of this.accounts.values())
      for (const { work } of account.entries)
        for (const [scheme, id] of Object.entries(account.numbered(work).ids)) {
          const name = this.nameOf(work.name)
          const key = `${work.type} ${scheme} ${id}`
          if ((owners.get(key) ?? name) !== name) return true
          owners.set(key, name)
        }
    return false
  }

  /** Operations that are said to carry an act, and no person did it. */
  async misattributed(): Promise<Violation[]> {
    const rows = await this.world.db
      .selectFrom('sync__plan_item as item')
      .innerJoin('sync__plan as plan', 'plan.id', 'item.plan_id')
      .select(['item.item', 'item.origin', 'item.op', 'item.cause', 'plan.feature', 'plan.created_at'])
      .where('item.origin', 'is not', null)
      .execute()
    return rows.flatMap((row) => {
      const { provider, instance, act, by } = JSON.parse(String(row['origin'])) as Origin
      if (by !== 'person' && by !== 'written') return []
      const item = JSON.parse(String(row['item'])) as Item
      const name = instance === 'default' ? provider : `${provider}@${instance}`
      const account = this.nodes.get(name) ?? name
      const works = [...this.works.values()]
        .filter((work) => this.isOf(item, work))
        .map((work) => this.nameOf(work.name))
      const isDone = this.deeds.some(
        (deed) =>
          deed.account === account &&
          deed.feature === row['feature'] &&
          works.includes(deed.work) &&
          deed.op === (act === 'set' ? 'put' : 'drop') &&
          deed.atMs <= Number(row['created_at']),
      )
      // A correction of the mapping takes what it wrote away.
      if (isDone || this.mapping.isCorrected || works.some((work) => this.wasHidden.has(work))) return []
      const text = `${String(row['op'])} ${works.join()} (${String(row['cause'])}): ${name} is said to have had the act ${act} (${by})`
      return [{ law: 5 as const, text }]
    })
  }

  private isOf(item: Item, work: Work): boolean {
    const ids = [work.ids, ...[...this.accounts.values()].flatMap(({ numbers }) => numbers.get(work.name) ?? [])]
    const isSame = ids.some((own) => Object.entries(own).some(([scheme, id]) => item.ids[scheme as keyof Ids] === id))
    return (isSame && item.type === work.type) || (item.series_title ?? item.title) === work.title
  }

  /** Rows that an account shows and that no person ever entered. */
  invented(): Violation[] {
    const put = new Set(this.deeds.map(({ feature, work }) => `${feature} of ${work}`))
    const found = new Set<string>()
    for (const [name, account] of this.accounts)
      for (const { feature, work } of account.entries) {
        const text = `${feature} of ${this.nameOf(work.name)}`
        if (!put.has(text)) found.add(`${text}: ${name} shows it, and no person ever put it anywhere`)
      }
    return [...found].map((text) => ({ law: 2, text }))
  }

  async end(): Promise<End> {
    const { items } = await this.world.engine.unresolved.list({ runId: 'all', accepted: false, limit: 1_000 })
    const listed = new Set<string>()
    for (const { pair_id, feature, item, reason_code } of items) {
      // Nothing is ambiguous unless accounts contradict each other now.
      if (reason_code === 'ambiguous_identity' && !this.isAmbiguous()) continue
      for (const work of this.works.values()) {
        const ids = [work.ids, ...[...this.accounts.values()].flatMap(({ numbers }) => numbers.get(work.name) ?? [])]
        const isSame = ids.some((own) =>
          Object.entries(own).some(([scheme, id]) => item.ids[scheme as keyof Ids] === id),
        )
        if ((isSame && item.type === work.type) || item.title === work.title)
          listed.add(`${pair_id} ${feature} ${this.nameOf(work.name)}`)
      }
    }
    return {
      shown: (account, feature, work, viewing) => this.shown(account, feature, work, viewing),
      lostMs: (account, feature, work, viewing) =>
        this.shown(account, feature, work, viewing) === undefined
          ? this.lost.get([account, feature, work, ...(viewing === undefined ? [] : [viewing])].join('|'))
          : undefined,
      writtenMs: (account, feature, work, viewing) =>
        this.writtenAtMs.get([account, feature, work, ...(viewing === undefined ? [] : [viewing])].join('|')),
      wasHidden: (work) => this.wasHidden.has(work),
      wasHiddenAtOnce: (work) => this.wasHiddenAtOnce.has(work),
      plays: (account, work, viewing) => this.plays(account, work, viewing),
      isListed: (pair, feature, work) => listed.has(`${pair} ${feature} ${work}`),
    }
  }
}

function isPossible(feature: Feature, { type }: Work): boolean {
  return feature === 'watchlist' ? type !== 'episode' : feature === 'ratings' || type !== 'show'
}

function optionsOf(feature: Feature, { rewatches, ...options }: Record<string, string | boolean>): object {
  const parsed = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      typeof value === 'string' && value.includes(',') ? value.split(',') : value,
    ]),
  )
  return feature === 'history' && rewatches !== undefined ? { ...parsed, rewatches } : parsed
}

function booleans(values: Values): Readonly<Record<string, string | boolean | number>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value === 'true' ? true : value === 'false' ? false : Number.isNaN(Number(value)) ? value : Number(value),
    ]),
  )
}

function briefly({ writes, report }: Ran): string {
  const failed = report.pairs
    .flatMap(({ pair_id, features }) => features.map((feature) => ({ ...feature, pair_id })))
    .filter(({ status }) => status !== 'ok' && status !== 'nothing_to_do')
    .map(({ pair_id, feature, status, reason }) => `${pair_id} ${feature} ${status} ${reason ?? ''}`)
  const written = writes
    .filter(({ stored, dropped }) => stored || dropped)
    .map(
      ({ account, op, work, item }) =>
        `${op} ${work} ${op === 'remove' ? 'off' : 'to'} ${account}${item.rating === undefined ? '' : ` ${item.rating}`}`,
    )
  return [...written, ...failed].join(', ') || 'nothing'
}
