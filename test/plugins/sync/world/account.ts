// A fake account with typical faults of services.
import {
  type AccountHealth,
  type Feature,
  PlayheadError,
  type Provider,
  type ProviderDescription,
  type ReadEnd,
  type ReadPart,
  type ReadRequest,
  type Support,
  type WriteItem,
  type WriteOutcome,
  type WriteOutcomeKind,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk'
import { type Ids, type Item, tokensOf } from '@playhead/sdk/items'
import { CHANGED_SINCE_READ } from '@playhead/sdk/provider'
import { toItem, type Work } from './works.ts'

/** An account's data for a work in one feature. Each play is an entry, identified by `eventId`. */
export interface Entry {
  readonly work: Work
  readonly feature: Feature
  readonly atMs: number
  /** The time of the play, if the service stored another one. */
  readonly playedMs?: number
  readonly rating?: number
  readonly positionMs?: number
  readonly eventId?: string
  readonly library?: string
}

export type ReadFault =
  | 'throw'
  | 'partial'
  | 'lying_partial'
  | 'empty'
  | 'duplicates'
  | 'shuffle'
  | 'not_configured'
  | 'wrong_account'
  | 'no_end'
  | 'malformed'
  | 'unreadable'
  | 'title_only'
export type WriteFault =
  | 'reject_some'
  | 'silent_drop'
  | 'applied_then_throws'
  | 'applied_then_unknown'
  | 'partial_then_throws'
  | 'rate_limited'
  | 'throws'
  | 'not_found'
  | 'too_few_outcomes'

export interface WriteRecord {
  readonly account: string
  readonly feature: Feature
  readonly op: WriteRequest['op']
  readonly key: string
  readonly item: Item
  /** The work that the item reached, or undefined. */
  readonly work: string | undefined
  /** Whether the store changed. */
  readonly stored: boolean
  /** The service confirmed the write and did not make it. */
  readonly dropped: boolean
}

/** What services do differently. All of it can be combined, and can change during a life. */
export interface Traits {
  /** It stores the time of its own clock instead of the times that it is sent; plays keep theirs. */
  readonly stamps?: boolean
  /** It stores that time for plays, too. */
  readonly stampsPlays?: boolean
  /** How far its clock is ahead; negative: behind. */
  readonly aheadMs?: number
  /** Reads show data that is this old. */
  readonly cacheMs?: number
  /** It shows the day of a time only, in its own time zone. */
  readonly isDated?: boolean
  readonly zoneMs?: number
  readonly isNewestFirst?: boolean
  /** Ratings are multiples of this. */
  readonly ratingStep?: number
  /** Its provider does not declare that it rounds. */
  readonly hidesScale?: boolean
  readonly positionStepMs?: number
  /** A list shows this many of its newest rows. */
  readonly cap?: number
  /** Kinds of which it shows no rows. */
  readonly unread?: readonly Work['type'][]
  /** It confirms rows without a time and does not store them. */
  readonly dropsUndated?: boolean
  /** It stores a play again that it already has. */
  readonly repeatsPlays?: boolean
  /** It makes updates and removals regardless of what it holds: what people do between a read and a write shows in reads only. */
  readonly isBlind?: boolean
  /** Single plays cannot be used for now. */
  readonly isWithoutPlays?: boolean
  /** How long a read and a write take. */
  readonly readMs?: number
  readonly writeMs?: number
}

export interface AccountOptions {
  readonly id: string
  readonly schemes?: readonly string[]
  readonly knows?: readonly string[]
  readonly features?: Support
  readonly now: () => number
  readonly bidirectional?: boolean
  readonly random?: () => number
}

const full = (kinds: readonly ('movie' | 'show' | 'episode')[]) => ({
  read: true,
  add: true,
  update: true,
  remove: true,
  kinds,
  maxBatch: 7,
  compares: ['update', 'remove'] as const,
})

export const FULL_SUPPORT: Support = {
  watchlist: full(['movie', 'show']),
  history: {
    ...full(['movie', 'episode']),
    update: false,
    overlaps: true,
    plays: { read: true, write: true, removeOne: true },
  },
  ratings: { ...full(['movie', 'show', 'episode']), compares: ['add', 'update', 'remove'] },
  progress: { ...full(['movie', 'episode']), compares: ['add', 'update', 'remove'] },
}

export class FakeAccount implements Provider {
  /** Changes when another person signs in. */
  uid: string | undefined
  readonly id: string
  /** Its only profile. */
  instance = 'default'
  schemes: readonly string[]
  /** Additional ids with which it finds works, but which it does not show. */
  readonly knows: readonly string[]
  private tokens = new WeakMap<Work, readonly string[]>()
  support: Support
  entries: Entry[] = []
  readonly writes: WriteRecord[] = []
  readonly reads: {
    readonly feature: Feature
    readonly atMs: number
    readonly since: boolean
    readonly beforeWrites: boolean
  }[] = []
  /** One per read or write, in order. */
  readonly readFaults: (ReadFault | undefined)[] = []
  readonly writeFaults: (WriteFault | undefined)[] = []
  /** Applies to all reads and writes until it is unset. */
  readFault: ReadFault | undefined
  writeFault: WriteFault | undefined
  /** Number of stored writes that reads do not show yet. */
  lag = 0
  status: AccountHealth['status'] = 'ok'
  configured = true
  identity: string
  /** Works that left the library: the absence of their rows proves nothing. */
  gone: Work[] = []
  /** Works that the server currently hides. */
  readonly hidden = new Set<string>()
  /** The service only returns lists: missing rows cannot be looked up. */
  tellsListsOnly = false
  /** The service stores no dates for list entries. */
  undated = false
  /** Works whose ids the service has lost: rows with a title only. */
  unreadable: Work[] = []
  /** Rows that never had an identity. */
  oddities: readonly { readonly reason: string; readonly title?: string }[] = []
  /** Shows that the person dropped; undefined: the service has no such list. */
  dropped: readonly Work[] | undefined
  /** The list of dropped shows cannot be read. */
  droppedFails = false
  /** Answers `since` with changes only. */
  incremental = false
  traits: Traits = {}
  /** Ids by the name of the work, where this service has others than the catalogue. */
  readonly numbers = new Map<string, Ids>()
  /** Names of works of which it has no file: nothing can be marked. */
  readonly missing = new Set<string>()
  /** Called once: when the next write arrives; at a blind account some seconds after its read, before the engine writes. */
  beforeWrite: (() => void) | undefined
  /** Lets time pass; set by the world. */
  pass: (ms: number) => void = () => {}
  /** Changes with each sign-in, also to the same account. */
  signIn = ''
  private shownBefore: { readonly untilMs: number; readonly entries: Entry[] }[] = []
  private readonly drawers = new Map<string, Entry[]>()
  private readonly versions: (readonly Entry[])[] = []
  private before: (readonly Entry[])[] = []
  private events = 0
  private readonly now: () => number
  private readonly bidirectional: boolean
  private readonly random: () => number

  constructor({
    id,
    schemes = ['tmdb', 'imdb', 'tvdb'],
    knows = ['tmdb', 'imdb', 'tvdb'],
    features = FULL_SUPPORT,
    now,
    bidirectional = true,
    random = () => 0.4,
  }: AccountOptions) {
    this.id = id
    this.schemes = schemes
    this.knows = knows
    this.support = features
    this.now = now
    this.bidirectional = bidirectional
    this.random = random
    this.identity = `${id.toLowerCase()}-server/user`
  }

  private get style(): Style {
    const { schemes, undated, numbers, traits } = this
    return { schemes, undated, numbers, traits }
  }

  /** The time of its own clock. */
  get clockMs(): number {
    return this.now() + (this.traits.aheadMs ?? 0)
  }

  // Actions of people.

  put(entry: Omit<Entry, 'atMs' | 'eventId'> & { readonly atMs?: number }): void {
    this.changes()
    this.store({ ...entry, ...this.rounded(entry), atMs: entry.atMs ?? this.clockMs })
  }

  /** A value as the service stores it. */
  rounded({ rating, positionMs }: Pick<Entry, 'rating' | 'positionMs'>): Pick<Entry, 'rating' | 'positionMs'> {
    const { ratingStep = 1, positionStepMs = 1 } = this.traits
    return {
      ...(rating === undefined ? {} : { rating: Math.min(10, Math.ceil(rating / ratingStep) * ratingStep) }),
      ...(positionMs === undefined ? {} : { positionMs: Math.round(positionMs / positionStepMs) * positionStepMs }),
    }
  }

  /** Another person, or the same one again, signs in to this profile; each has data of their own. */
  signInAs(person: string): void {
    this.signIn += '+'
    const identity = `${this.id.toLowerCase()}-server/${person}`
    if (identity === this.identity) return
    this.drawers.set(this.identity, this.entries)
    this.entries = this.drawers.get(identity) ?? []
    this.identity = identity
    this.shownBefore = []
  }

  /** The profiles of one account at the service show the same data. */
  sharesDataOf(other: FakeAccount): void {
    this.identity = other.identity
    Object.defineProperty(this, 'entries', {
      get: () => other.entries,
      set: (entries: Entry[]) => {
        other.entries = entries
      },
    })
    Object.defineProperty(this, 'shownBefore', {
      get: () => other.shownBefore,
      set: (shownBefore: FakeAccount['shownBefore']) => {
        other.shownBefore = shownBefore
      },
    })
  }

  /** Gives a work other ids here, as when a service merges or renumbers its entries. */
  renumber(work: Work, ids: Ids): void {
    this.numbers.set(work.name, ids)
    this.tokens = new WeakMap()
  }

  numbered(work: Work): Work {
    return numbered(work, this.numbers)
  }

  /** Two works become one here. */
  merge(work: Work, into: Work): void {
    const has = (feature: Feature) => this.has(feature, into)
    this.entries = this.entries.flatMap((entry) => {
      if (entry.work.name !== work.name) return [entry]
      return entry.feature !== 'history' && has(entry.feature) ? [] : [{ ...entry, work: into }]
    })
    this.renumber(work, into.ids)
  }

  /** Reads from a cache show everything at once that was stored until now. */
  showsAll(): void {
    this.shownBefore = []
  }

  /** Keeps what reads from a cache still show. */
  private changes(): void {
    const { cacheMs = 0 } = this.traits
    const nowMs = this.now()
    if (this.shownBefore.length > 0) this.shownBefore = this.shownBefore.filter(({ untilMs }) => untilMs > nowMs)
    if (cacheMs > 0) this.shownBefore.push({ untilMs: nowMs + cacheMs, entries: this.entries })
  }

  drop(feature: Feature, work: Work, eventId?: string): boolean {
    this.changes()
    const before = this.entries.length
    this.entries = this.entries.filter(
      (entry) =>
        !(
          entry.feature === feature &&
          entry.work.name === work.name &&
          (eventId === undefined || entry.eventId === eventId)
        ),
    )
    return this.entries.length < before
  }

  of(feature: Feature): readonly Entry[] {
    return this.entries.filter((entry) => entry.feature === feature)
  }

  has(feature: Feature, work: Work): boolean {
    return this.of(feature).some((entry) => entry.work.name === work.name)
  }

  /** Two profiles of an account give no id twice. */
  private get eventPrefix(): string {
    return this.instance === 'default' ? this.id : `${this.id}@${this.instance}`
  }

  private store(entry: Entry): void {
    const stored = { ...entry, eventId: `${this.eventPrefix}-${++this.events}` }
    if (entry.feature === 'history') this.entries = [...this.entries, stored]
    else
      this.entries = [
        ...this.entries.filter((one) => !(one.feature === entry.feature && one.work.name === entry.work.name)),
        stored,
      ]
  }

  // The provider's methods.

  /** The engine is about to write. */
  applyBegins(): void {
    if (this.traits.isBlind !== true || this.beforeWrite === undefined) return
    this.pass(20_000)
    this.actBefore()
  }

  private actBefore(): void {
    const act = this.beforeWrite
    this.beforeWrite = undefined
    act?.()
  }

  describe(): ProviderDescription {
    return {
      id: this.id,
      token: this.id.toLowerCase(),
      label: this.id,
      version: '1.0.0',
      vendor: null,
      description: null,
      group: 'other',
      features: this.declared(),
      bidirectional: this.bidirectional,
      ...(this.dropped === undefined ? {} : { droppedShows: true }),
      signIn: {
        flow: 'local',
        methods: ['local'],
        fields: [],
        actions: { start: false, finish: false, refresh: false, disconnect: false },
        verifyUrl: null,
        notes: null,
      },
    }
  }

  private declared(): Support {
    const { ratingStep, hidesScale = false } = this.traits
    const { ratings } = this.support
    return ratingStep === undefined || hidesScale || ratings === undefined
      ? this.support
      : { ...this.support, ratings: { ...ratings, ratingScale: { max: 10, step: ratingStep } } }
  }

  profiles() {
    const fingerprint = `${this.identity}${this.signIn}`
    return [{ id: this.instance, label: '', configured: this.configured, fingerprint }]
  }

  async probe(): Promise<AccountHealth> {
    if (!this.configured) return { status: 'not_configured', reasonCode: 'not_configured' }
    const plays = this.traits.isWithoutPlays === true ? { plays: false } : {}
    return { status: this.status, account: this.identity, ...plays }
  }

  async libraries() {
    return []
  }

  async droppedShows(): Promise<readonly Item[]> {
    if (this.dropped === undefined) throw new PlayheadError('PLH_UNSUPPORTED', `${this.id} has no such list`)
    if (this.droppedFails) throw new PlayheadError('PLH_UPSTREAM', `${this.id} answered 500`)
    return this.dropped.map((show) => toItem(show, this.schemes))
  }

  async *read(_instance: string, request: ReadRequest): AsyncIterable<ReadPart> {
    this.reads.push({
      feature: request.feature,
      atMs: this.now() + (this.traits.readMs ?? 0),
      since: request.since !== undefined,
      beforeWrites: request.beforeWrites === true,
    })
    const fault = this.readFaults.shift() ?? this.readFault
    if (!this.configured || fault === 'not_configured')
      throw new PlayheadError('PLH_NOT_READY', `${this.id} is not connected`, { wire: 'not_configured' })
    if (fault === 'throw') throw new PlayheadError('PLH_UPSTREAM', `${this.id} answered 500`)
    if (fault === 'malformed') {
      yield { type: 'rows', rows: [{ nonsense: true } as never] }
      yield { type: 'nonsense' } as never
      return
    }
    const { readMs = 0, unread = [], isNewestFirst = false, cap = Infinity } = this.traits
    if (readMs > 0) this.pass(readMs)
    const nowMs = this.now()
    const cached = this.shownBefore.find(({ untilMs }) => nowMs < untilMs)?.entries ?? this.entries
    let visible = (this.lag > 0 ? (this.before[Math.max(0, this.before.length - this.lag)] ?? this.entries) : cached)
      .filter((entry) => entry.feature === request.feature && !unread.includes(entry.work.type))
      .filter(({ work }) => !this.unreadable.includes(work) && !this.hidden.has(work.name))
      .filter(
        (entry) =>
          request.libraries === undefined ||
          request.libraries.length === 0 ||
          (entry.library !== undefined && request.libraries.includes(entry.library)),
      )
    if (isNewestFirst || visible.length > cap)
      visible = visible.toSorted((a, b) => b.atMs - a.atMs || visible.indexOf(b) - visible.indexOf(a)).slice(0, cap)
    let rows = rowsOf(visible, request.plays === true, this.style)
    let end: ReadEnd = {
      complete: true,
      semantics: 'present',
      account: this.identity,
      ...(this.tellsListsOnly ? {} : { provesAbsence: true }),
    }
    if (this.incremental && fault === undefined) {
      const old = request.since === undefined ? undefined : this.versions[Number(request.since)]
      end = { ...end, checkpoint: String(this.versions.push(visible) - 1) }
      if (old !== undefined) {
        const before = new Map(rowsOf(old, request.plays === true, this.style).map((row) => [JSON.stringify(row), row]))
        const now = new Set(rows.map((row) => JSON.stringify(row)))
        const gone = [...before].flatMap(([text, row]) =>
          now.has(text) || rows.some((one) => isSameRow(one, row)) ? [] : [row],
        )
        rows = rows.filter((row) => !before.has(JSON.stringify(row)))
        end =
          rows.length === 0 && gone.length === 0
            ? { ...end, semantics: 'unchanged' }
            : { ...end, semantics: 'delta', deleted: gone }
      }
    }
    if (this.gone.length > 0) end = { ...end, gone: this.gone.map((work) => toItem(work, this.schemes)) }
    const broken = [
      ...this.unreadable.map(({ title }) => ({ reason: 'missing_ids', title: `${title}.mkv` })),
      ...this.oddities,
    ]
    if (broken.length > 0) end = { ...end, unreadable: broken }
    if (fault === 'empty') rows = []
    if (fault === 'partial' || fault === 'lying_partial' || fault === 'no_end')
      rows = rows.filter(() => this.random() < 0.5)
    if (fault === 'duplicates') rows = rows.flatMap((row) => [row, row])
    if (fault === 'shuffle') rows = rows.toReversed()
    if (fault === 'unreadable') {
      const broken = rows.filter(() => this.random() < 0.3)
      rows = rows.filter((row) => !broken.includes(row))
      end = {
        ...end,
        unreadable: broken.map(({ title }) => ({ reason: 'missing_ids', ...(title == null ? {} : { title }) })),
      }
    }
    if (fault === 'title_only') {
      rows = rows.map((row) => {
        if (this.random() < 0.7) return row
        const { ids: _ids, show_ids: _showIds, year: _year, ...rest } = row
        return { ...rest, title: `${rest.title} (file)`, ids: {} }
      })
    }
    for (let at = 0; at < rows.length; at += 5) yield { type: 'rows', rows: rows.slice(at, at + 5) }
    if (fault === 'no_end') return
    if (fault === 'partial') yield { type: 'end', end: { ...end, complete: false, reason: 'total_mismatch' } }
    else if (fault === 'wrong_account') yield { type: 'end', end: { ...end, account: `${this.identity}-other` } }
    else yield { type: 'end', end }
  }

  async write(_instance: string, request: WriteRequest): Promise<WriteResult> {
    const fault = this.writeFaults.shift() ?? this.writeFault
    this.actBefore()
    const { writeMs = 0 } = this.traits
    if (writeMs > 0) this.pass(writeMs)
    if (fault === 'throws') throw new PlayheadError('PLH_UPSTREAM', `${this.id} answered 503`)
    if (fault === 'rate_limited')
      return { outcomes: request.items.map(({ key }) => ({ key, outcome: 'rate_limited' as const })), retryAfterMs: 1 }
    const half = fault === 'partial_then_throws' ? Math.ceil(request.items.length / 2) : request.items.length
    const outcomes: WriteOutcome[] = request.items
      .slice(0, half)
      .map((item, index) => ({
        key: item.key,
        outcome:
          fault === 'not_found'
            ? 'not_found'
            : fault === 'reject_some' && index % 2 === 0
              ? 'rejected'
              : this.apply(request, item, fault),
      }))
      .map(({ key, outcome }) => (outcome === 'changed' ? { key, ...CHANGED_SINCE_READ } : { key, outcome }))
    if (fault === 'applied_then_throws' || fault === 'partial_then_throws')
      throw new PlayheadError('PLH_UPSTREAM_TIMEOUT', `${this.id} did not answer in time`)
    if (fault === 'too_few_outcomes') return { outcomes: outcomes.slice(1) }
    return { outcomes }
  }

  private apply(request: WriteRequest, write: WriteItem, fault: WriteFault | undefined): WriteOutcomeKind | 'changed' {
    const { key, item, current } = write
    const work = this.workOf(item)
    const record = (stored: boolean, dropped = false) =>
      this.writes.push({
        account: this.id,
        feature: request.feature,
        op: request.op,
        key,
        item,
        work: work?.name,
        stored,
        dropped,
      })
    if (fault === 'silent_drop') {
      record(false, true)
      return 'applied'
    }
    const outcome = this.hasChanged(request, write, work) ? 'changed' : this.change(request, item, current, work)
    record(outcome === 'applied')
    return fault === 'applied_then_unknown' ? 'unknown' : outcome
  }

  /** A person has changed the row since it was read. */
  private hasChanged(
    { feature, op, plays }: WriteRequest,
    { item, current }: WriteItem,
    work: Work | undefined,
  ): boolean {
    if (this.lag > 0 || this.support[feature]?.compares?.includes(op) !== true) return false
    if (op === 'add')
      return this.of(feature).some((entry) => entry.work.name === work?.name && storedValue(entry) !== shownValue(item))
    // Without the row that was read there is nothing to compare with.
    if (current === undefined) return false
    const rows = rowsOf(
      this.of(feature).filter((entry) => entry.work.name === work?.name),
      plays === true,
      this.style,
    )
    const row = plays === true ? rows.find(({ native }) => native?.event_id === current.native?.event_id) : rows[0]
    if (row === undefined) return op === 'update'
    return timeOf(row, feature) !== timeOf(current, feature) || shownValue(row) !== shownValue(current)
  }

  private change(
    { feature, op, plays }: WriteRequest,
    item: Item,
    current: Item | undefined,
    work: Work | undefined,
  ): WriteOutcomeKind {
    if (work === undefined || this.missing.has(work.name)) return 'not_found'
    this.before.push(this.entries)
    if (this.before.length > 400) this.before.shift()
    if (op === 'remove') {
      const eventId = plays === true ? (item.native ?? current?.native)?.event_id : undefined
      if (plays === true && eventId === undefined) return 'rejected'
      return this.drop(feature, work, eventId) ? 'applied' : 'already'
    }
    const { stamps = false, stampsPlays = false, dropsUndated = false, repeatsPlays = false } = this.traits
    const sentMs = this.sentMs(item, feature)
    if (dropsUndated && sentMs === undefined) return 'applied'
    const isStamped = feature === 'history' ? stampsPlays : stamps
    const atMs = (isStamped ? undefined : sentMs) ?? this.clockMs
    if (feature === 'history') {
      if (item.watched_at === undefined) return 'rejected'
      const same = this.of('history').some(
        (entry) => entry.work.name === work.name && (plays !== true || entry.atMs === atMs),
      )
      if (same && !(repeatsPlays && plays === true)) return 'already'
    } else if (feature === 'watchlist' && this.has('watchlist', work)) return 'already'
    if (feature === 'ratings' && !(Number.isInteger(item.rating) && item.rating! >= 1 && item.rating! <= 10))
      return 'rejected'
    this.changes()
    const value = {
      ...(item.rating === undefined ? {} : { rating: item.rating }),
      ...(item.progress_ms === undefined ? {} : { positionMs: item.progress_ms }),
    }
    const played = isStamped && sentMs !== undefined && feature === 'history' ? { playedMs: sentMs } : {}
    this.store({ work, feature, atMs, ...played, ...this.rounded(value) })
    return 'applied'
  }

  /** The time that a request contains; a day is one of its own time zone. */
  private sentMs(item: Item, feature: Feature): number | undefined {
    const { isDated = false, zoneMs = 0 } = this.traits
    const isDay = feature === 'history' && item.watched_at?.length === DAY_LENGTH
    const atMs = timeOf(item, feature)
    return atMs !== undefined && isDated && isDay ? atMs - zoneMs : atMs
  }

  /** The catalogue of the service: it finds a work by any id that it knows. */
  private workOf(item: Item): Work | undefined {
    const tokens = new Set(tokensOf(item, WITHIN))
    const known = (work: Work) => tokensOf(toItem(numbered(work, this.numbers), this.knows), WITHIN)
    return catalogue.find((work) => this.tokens.getOrInsertComputed(work, known).some((token) => tokens.has(token)))
  }

  async createProfile(): Promise<string> {
    throw new PlayheadError('PLH_UNSUPPORTED', 'no profiles here')
  }

  async saveProfile(): Promise<void> {}
  async removeProfile(): Promise<void> {}
  async disconnect(): Promise<void> {
    this.configured = false
  }
}

const WITHIN = { within: 'provider' } as const
let catalogue: readonly Work[] = []

/** Sets the works that all accounts know. */
export function setCatalogue(works: readonly Work[]): void {
  catalogue = works
}

export const DURATION_MS = 7_200_000
const DAY_LENGTH = '2026-06-01'.length

interface Style {
  readonly schemes: readonly string[]
  readonly undated: boolean
  readonly numbers: ReadonlyMap<string, Ids>
  readonly traits: Traits
}

function numbered(work: Work, numbers: ReadonlyMap<string, Ids>): Work {
  const ids = numbers.get(work.name)
  return ids === undefined ? work : { ...work, ids }
}

function rowsOf(entries: readonly Entry[], plays: boolean, style: Style): Item[] {
  if (entries[0]?.feature === 'history' && !plays) {
    const latest = new Map<string, Entry>()
    for (const entry of entries)
      if ((latest.get(entry.work.name)?.atMs ?? -1) < entry.atMs) latest.set(entry.work.name, entry)
    return [...latest.values()].map((entry) => rowOf(entry, style))
  }
  return entries.map((entry) => rowOf(entry, style))
}

function rowOf(
  { work, feature, atMs, rating, positionMs, eventId, library }: Entry,
  { schemes, undated, numbers, traits: { isDated = false, zoneMs = 0 } }: Style,
): Item {
  const at = isDated
    ? new Date(atMs + zoneMs).toISOString().slice(0, 10)
    : new Date(Math.floor(atMs / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
  return {
    ...toItem(numbered(work, numbers), schemes),
    ...(library === undefined ? {} : { library_id: library }),
    ...(feature === 'watchlist' && !undated ? { added_at: at } : {}),
    ...(feature === 'history' ? { watched: true, watched_at: at, native: { event_id: eventId! } } : {}),
    ...(feature === 'ratings' ? { rating: rating!, ...(undated ? {} : { rated_at: at }) } : {}),
    ...(feature === 'progress' ? { progress_ms: positionMs!, duration_ms: DURATION_MS, progress_at: at } : {}),
  }
}

function isSameRow(a: Item, b: Item): boolean {
  const eventOf = (item: Item) => item.native?.event_id
  return (
    JSON.stringify([a.type, a.ids, a.show_ids, a.season, a.episode, a.title]) ===
      JSON.stringify([b.type, b.ids, b.show_ids, b.season, b.episode, b.title]) &&
    (eventOf(a) === eventOf(b) || a.watched_at === undefined)
  )
}

const storedValue = ({ rating, positionMs }: Entry) => rating ?? positionMs
const shownValue = ({ rating, progress_ms: positionMs }: Item) => rating ?? positionMs

function timeOf(item: Item, feature: Feature): number | undefined {
  const text = {
    watchlist: item.added_at,
    history: item.watched_at,
    ratings: item.rated_at,
    progress: item.progress_at,
    playlists: undefined,
  }[feature]
  return text === undefined ? undefined : Date.parse(text)
}
