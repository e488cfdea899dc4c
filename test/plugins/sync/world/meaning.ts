// The intention of a person, from their acts alone, and whether the accounts show it in the end. Knows nothing of the engine's state.
//
// The acts on one title are ordered only as far as anyone can know it: at one account; by an account that showed what
// the act before had made; and by dates that services store. The last acts in this order are what the person meant. If
// they contradict each other, nothing is expected but that the accounts agree.
import type { Feature } from '@playhead/sdk'

/** A subject at an account: a value, '' for one without, undefined if it is absent. */
export type Shown = string | undefined

/** An act of a person on one title, or on one play of it. */
export interface Deed {
  readonly atMs: number
  readonly account: string
  readonly feature: Feature
  readonly work: string
  /** One viewing of the work. Absent for the work as a whole. */
  readonly viewing?: string
  readonly op: 'put' | 'drop'
  readonly value: string
  /** The state of the account before. */
  readonly before: Shown
  /** When it happened, as far as the account says so; undefined if it does not. */
  readonly dated: readonly [fromMs: number, toMs: number] | undefined
  /** The time that the account stores. */
  readonly storedMs: number
  /** The person who was signed in. */
  readonly by: string
  /** The account is that of another person now. */
  isAway: boolean
}

/** A run that read both sides of its pairs completely. */
export interface Pass {
  readonly startedAtMs: number
  /** When it read each account: the pairs of a run read one after the other, and people act in between. */
  readonly readsAtMs: ReadonlyMap<string, readonly number[]>
}

export interface Edge {
  readonly pair: string
  readonly from: string
  readonly to: string
  readonly mode: 'one_way' | 'two_way' | 'mirror'
  readonly feature: Feature
  readonly isByPlay: boolean
  /** What people did before the first run is not carried. */
  readonly isOnlyNew?: boolean
}

/** The state of knowledge about a subject that begins with an undo, a reset, or a restored backup. */
export interface Break {
  readonly atMs: number
  readonly kind: 'undo' | 'forgotten'
  readonly feature: Feature
  readonly work: string
  readonly viewing?: string
  /** The state that the undo left on the accounts, and the accounts that it changed. */
  readonly left: ReadonlyMap<string, Shown>
  readonly changed: ReadonlySet<string>
}

export interface Life {
  readonly deeds: readonly Deed[]
  readonly passes: readonly Pass[]
  readonly breaks: readonly Break[]
  readonly edges: readonly Edge[]
  /** Mirrors that a person confirmed, by pair. */
  readonly confirmed: ReadonlySet<string>
  /** Also those whose confirmation has ended. */
  readonly everConfirmed: ReadonlySet<string>
  readonly cacheMsOf: (account: string) => number
  /** Ratings and positions that differ by less are the same. */
  readonly sameRating: number
  readonly samePositionMs: number
}

/** The rows of the accounts, and the unresolved items, after the last run. */
export interface End {
  shown(account: string, feature: Feature, work: string, viewing?: string): Shown
  /** When the account stopped to show it; undefined if it shows it, or never did. */
  lostMs(account: string, feature: Feature, work: string, viewing?: string): number | undefined
  /** When a run last wrote it there. */
  writtenMs(account: string, feature: Feature, work: string, viewing?: string): number | undefined
  /** A server hid the work for a while, as if it were taken off. */
  wasHidden(work: string): boolean
  /** Its server hid it right after a run wrote it there, which looks like a read from a cache. */
  wasHiddenAtOnce(work: string): boolean
  /** How many plays of the viewing the account shows. */
  plays(account: string, work: string, viewing: string): number
  isListed(pair: string, feature: Feature, work: string): boolean
}

export interface Violation {
  readonly law: 1 | 2 | 3 | 4 | 5 | 6 | 7
  readonly text: string
}

type Subject = Pick<Deed, 'feature' | 'work' | 'viewing'>

export function judge(life: Life, end: End): Violation[] {
  const found: Violation[] = []
  for (const subject of subjectsOf(life)) found.push(...judgeSubject(life, end, subject))
  return found
}

function subjectsOf({ deeds }: Life): Subject[] {
  const found = new Map<string, Subject>()
  for (const { feature, work, viewing } of deeds) {
    const subject = { feature, work, ...(viewing === undefined ? {} : { viewing }) }
    found.set(JSON.stringify(subject), subject)
  }
  return [...found.values()]
}

const isOf =
  (subject: Subject) =>
  ({ feature, work, viewing }: Subject): boolean =>
    feature === subject.feature && work === subject.work && viewing === subject.viewing

function judgeSubject(life: Life, end: End, subject: Subject): Violation[] {
  const { feature, work, viewing } = subject
  const edges = life.edges.filter((edge) => edge.feature === feature && edge.isByPlay === (viewing !== undefined))
  const all = life.edges.filter((edge) => edge.feature === feature)
  // In a world with pairs of both kinds a title as a whole is known by all of them.
  const graph = viewing === undefined ? all : edges
  const deeds = life.deeds.filter(isOf(subject)).filter(({ isAway }) => !isAway)
  const breaks = life.breaks.filter(isOf(subject))
  const accounts = [...new Set(all.flatMap(({ from, to }) => [from, to]))]
  const shown = (account: string) => end.shown(account, feature, work, viewing)
  const name = `${feature} of ${work}${viewing === undefined ? '' : ` (viewing ${viewing})`}`
  const found: Violation[] = []
  const say = (law: Violation['law'], what: string) => found.push({ law, text: `${name}: ${what}` })
  const lastBreak = breaks.at(-1)
  const isUndone = breaks.some(({ kind }) => kind === 'undo')
  const isForgotten = breaks.some(({ kind }) => kind === 'forgotten')

  if (viewing !== undefined)
    for (const account of accounts) {
      const own = deeds.filter((deed) => deed.account === account && deed.op === 'put').length
      const count = end.plays(account, work, viewing)
      if (count > Math.max(1, own)) say(4, `${account} shows one viewing as ${count} plays`)
    }
  if (graph.length === 0) return found
  // A pair by item removes all plays of a work.
  const isTakenWhole =
    viewing !== undefined &&
    edges.length < all.length &&
    life.deeds.some(
      (deed) => deed.op === 'drop' && deed.viewing === undefined && deed.feature === feature && deed.work === work,
    )
  if (isTakenWhole) return found

  const isMixed = viewing === undefined && edges.length < all.length
  const firstMs = life.passes[0]?.startedAtMs ?? Infinity
  if (graph.some(({ isOnlyNew }) => isOnlyNew === true) && deeds.every(({ atMs }) => atMs < firstMs)) {
    for (const account of accounts) {
      const own = deeds.findLast((deed) => deed.account === account)
      const chosen = own?.op === 'put' ? own.value : undefined
      if (!isSame(feature, shown(account), chosen))
        say(
          3,
          `${account} shows ${text(shown(account))}, and only later changes than ${text(chosen)} are to be carried`,
        )
    }
    return found
  }
  for (const account of accounts) {
    const sources = reach(graph, account, 'to')
    const about = deeds.filter((deed) => sources.has(deed.account))
    // At a service without dates, the same rating given again does not show.
    const isShown = (deed: Deed) => deed.dated !== undefined || deed.before !== deed.value
    const own = about.findLast((deed) => deed.account === account && deed.op === 'put' && isShown(deed))
    const isMirror = graph.some(
      ({ pair, to, mode }) => to === account && mode === 'mirror' && life.everConfirmed.has(pair),
    )
    // Also by the person who was signed in at that time.
    const drops = life.deeds.filter((deed) => isOf(subject)(deed) && sources.has(deed.account) && deed.op === 'drop')
    const lastDrop = drops.at(-1)
    const has = shown(account) !== undefined
    // Nothing is gone that a person put here, or that came here, unless a person took it off anywhere later.
    const lostMs = end.lostMs(account, feature, work, viewing)
    const writtenMs = end.writtenMs(account, feature, work, viewing) ?? -Infinity
    // Without dates and ids, a row that was taken off and put back between two reads looks like one that always was there. A
    // play has an id, once a read has shown it after the write.
    const isHiddenAct =
      (feature === 'history' || own?.dated === undefined) &&
      deeds.some(
        (deed) =>
          deed.account === account &&
          deed.op === 'drop' &&
          !wasReadable(deed, deeds, life) &&
          !(feature === 'history' && wasReadSince(writtenMs, deed, life)),
      )
    const isKept =
      own !== undefined &&
      !isHiddenAct &&
      (lastDrop === undefined || lastDrop.atMs < own.atMs) &&
      !isLikeStamp(own.atMs - writtenMs)
    const wasTakenOff = drops.some(({ atMs }) => lostMs === undefined || atMs <= lostMs)
    // Who took it off in the end did not want it here either.
    const last = lastOf(about, life)
    const isUnwanted = last.length > 0 && last.every(({ op }) => op === 'drop')
    const isGone = isKept || (lostMs !== undefined && !wasTakenOff)
    if (!has && !isMirror && !isUndone && !isUnwanted && isGone && !end.wasHiddenAtOnce(work))
      say(1, `${account} lost it, and no person took it off`)
    // The plays of a title are undone one by one.
    // What no run had read before the undo is carried after it.
    // A pair by item carries a play to accounts that pairs by play do not reach.
    const heard = reach(all, account, 'to')
    const isNews = (deed: Deed) =>
      heard.has(deed.account) && !wasReadBetween(life, deed.account, deed.atMs, lastBreak!.atMs)
    if (lastBreak?.kind === 'undo' && !isMixed && !deeds.some(isNews)) {
      const left = lastBreak.left.get(account)
      const isPresent = shown(account) !== undefined
      // Between further accounts a change may still be on its way.
      const isJudged =
        accounts.length === 2
          ? lastBreak.left.has(account)
          : lastBreak.changed.has(account) && (left === undefined) === isPresent
      if (isJudged && !isSame(feature, shown(account), left))
        say(
          left === undefined ? 2 : isPresent ? 3 : 1,
          `${account} shows ${text(shown(account))} after an undo that left ${text(left)}`,
        )
    }
    if (isUndone || isForgotten || isMirror || (isMixed && edges.length === 0)) continue
    if (last.length === 0) continue
    const ops = new Set(last.map(({ op }) => op))
    if (ops.size > 1) continue
    // A pair on the way that does not carry a change lists it, and the accounts behind it agree.
    const isListed = all.some(({ pair }) => end.isListed(pair, feature, work))
    const downstream = (from: string) => reach(graph, from, 'from')
    if (ops.has('drop')) {
      // The source of a one-way pair restores losses of its target.
      const isGivenBack = last.some((deed) =>
        graph.some(({ from, to, mode }) => to === deed.account && mode !== 'two_way' && shown(from) !== undefined),
      )
      const isOwn = last.some((deed) => deed.account === account)
      if (has && !isGivenBack && !end.wasHidden(work) && (isOwn || !(isMixed || isListed)))
        say(2, `${account} has it, though it was taken off ${last.map((deed) => deed.account).join(', ')}`)
      continue
    }
    if (isMixed) continue
    if (!has) {
      if (!isKept && !isListed) say(6, `${account} never got it, and nothing is listed`)
      continue
    }
    const values = new Set(last.map(({ value }) => value))
    const isOverruled = [...sources].some((one) => !downstream(account).has(one) && shown(one) !== undefined)
    if (values.size === 1 && !isOverruled && !isSame(feature, shown(account), last[0]!.value) && !isListedAt(account))
      say(3, `${account} shows ${shown(account)}, the last act was ${last[0]!.value} at ${last[0]!.account}`)
  }
  if (isUndone) return found
  for (const { pair, from, to, mode } of edges) {
    const [a, b] = [shown(from), shown(to)]
    if (a === undefined && (b === undefined || mode === 'one_way')) continue
    if (a === undefined && mode === 'mirror' && !life.confirmed.has(pair)) continue
    if (a !== undefined && b !== undefined && isSame(feature, a, b)) continue
    if (!end.isListed(pair, feature, work))
      say(6, `${from} shows ${text(a)} and ${to} ${text(b)}, and nothing is listed`)
  }
  return found

  function isListedAt(account: string): boolean {
    return all.some(({ pair, from, to }) => (from === account || to === account) && end.isListed(pair, feature, work))
  }

  function isSame(of: Feature, a: Shown, b: Shown): boolean {
    if (a === undefined || b === undefined) return a === b
    if (of === 'ratings') return Math.abs(Number(a) - Number(b)) < life.sameRating
    if (of === 'progress') return Math.abs(Number(a) - Number(b)) < life.samePositionMs
    return true
  }
}

/** A service may date a write by its own clock: what a person puts again right after it may be that write. */
export function isLikeStamp(afterMs: number): boolean {
  return afterMs >= 0 && afterMs <= CLOCK_MS
}

/** How far the clock of a service may be ahead. */
const CLOCK_MS = 15 * 60_000

const text = (shown: Shown) => (shown === undefined ? 'nothing' : shown === '' ? 'it' : shown)

/** The accounts from which changes come to this one, or to which its changes go; and itself. */
function reach(edges: readonly Edge[], account: string, end: 'from' | 'to'): Set<string> {
  const found = new Set([account])
  for (const one of found)
    for (const { from, to, mode } of edges) {
      const [near, far] = end === 'from' ? [from, to] : [to, from]
      if (near === one) found.add(far)
      if (far === one && mode === 'two_way') found.add(near)
    }
  return found
}

/** The acts that no other is known to be later than. */
function lastOf(deeds: readonly Deed[], life: Life): Deed[] {
  return deeds.filter((deed, index) => !deeds.some((other, at) => at > index && isKnownLater(other, deed, deeds, life)))
}

function isKnownLater(later: Deed, deed: Deed, deeds: readonly Deed[], life: Life): boolean {
  if (later.account === deed.account) return true
  // Positions are ordered by their times: a late report of an earlier stop looks like a clock that is behind.
  if (later.feature === 'progress' && later.op === 'put' && deed.op === 'put' && later.storedMs < deed.storedMs)
    return false
  const seenMs = deed.atMs + life.cacheMsOf(deed.account)
  const isRead = wasReadBetween(life, deed.account, seenMs, later.atMs)
  // Values of services that round are only compared roughly.
  const expected = deed.op === 'put' ? deed.value : undefined
  const isShown =
    expected === undefined || later.before === undefined
      ? expected === later.before
      : expected === later.before ||
        (deed.feature === 'ratings' && Math.abs(Number(expected) - Number(later.before)) < life.sameRating) ||
        (deed.feature === 'progress' && Math.abs(Number(expected) - Number(later.before)) < life.samePositionMs)
  if (isRead && isShown) return true
  if (later.op === 'drop' || later.dated === undefined || !wasReadable(later, deeds, life)) return false
  if (deed.op === 'drop') return later.dated[0] > deed.atMs
  return deed.dated !== undefined && later.dated[0] > deed.dated[1]
}

export function wasReadBetween(
  { passes }: Pick<Life, 'passes'>,
  account: string,
  fromMs: number,
  untilMs: number,
): boolean {
  return passes.some(({ readsAtMs }) => readsAtMs.get(account)?.some((atMs) => atMs > fromMs && atMs < untilMs))
}

function wasReadSince(ms: number, { account, atMs }: Deed, life: Life): boolean {
  return wasReadBetween(life, account, ms + life.cacheMsOf(account), atMs)
}

/** Whether a read could show the act, and its date: what the same person changed again before a run is lost. */
function wasReadable(deed: Deed, deeds: readonly Deed[], life: Life): boolean {
  const next = deeds.find(({ account, atMs }) => account === deed.account && atMs > deed.atMs)
  // Runs follow the last act.
  if (next === undefined) return true
  return wasReadBetween(life, deed.account, deed.atMs, next.atMs + life.cacheMsOf(deed.account))
}
