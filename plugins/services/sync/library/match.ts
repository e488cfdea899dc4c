// Plays of an item that belong together, in a matched group.
import type { Side } from '@playhead/sdk'
import { anyContradict, type Item, pairPlays, parseTime, type Time, ZONES_MS } from '@playhead/sdk/items'
import { other, SIDES } from '../feature-run.ts'
import { assignRows, isExpectedOnly, type Repeat, type Viewing, viewingWith } from './viewings.ts'
import type { SideRows } from './rows.ts'

export interface PlayNode extends Time {
  /** Numbered within its side. */
  readonly node: number
  readonly eventId?: string | undefined
}
export interface BasePlay extends Time {
  readonly node: number
  readonly a: Time | null
  readonly b: Time | null
  /** When Playhead added it to a side, if no read has shown it there yet. */
  readonly addedTo: Readonly<Partial<Record<Side, Span | undefined>>>
}
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}
const DAY_MS = 86_400_000
/** How far the clock of a service that dates a play by its receipt may be off. More could be a play of a person. */
const RECEIVED_MS = 30_000

interface PlayGroup {
  readonly base?: number
  /** Further base plays that are the same play. */
  readonly moreBases?: readonly number[]
  readonly a?: number
  readonly b?: number
  /** The play was recorded outside a run, and a matched row represents it. */
  readonly viewing?: Viewing
  /** The sides on which an add would repeat a recorded play. */
  readonly repeats?: Repeat
}

interface Draft {
  readonly bases: number[]
  a?: PlayNode
  b?: PlayNode
  viewing?: Viewing
  /** The play has no counterpart on a side, but its viewing has another row there. */
  isSecond?: boolean
}

/**
 * Pairs the plays of one item, one to one and nearest first: base plays with rows, then rows of recorded plays, then
 * the remaining rows of both sides.
 */
export function pairPlayGroups(
  base: readonly BasePlay[],
  aPlays: readonly PlayNode[],
  bPlays: readonly PlayNode[],
  toleranceMs: number,
  viewings: readonly Viewing[] = [],
): PlayGroup[] {
  const [a, b] = [withoutCopies(aPlays), withoutCopies(bPlays)]
  const pairWithBase = (side: Side, rows: readonly PlayNode[]) => {
    const times = base.map((play) => ({ ...(play[side] ?? play), play }))
    const { pairs, onlyA, onlyB } = pairPlays(times, rows, toleranceMs)
    // A service that knows days may store that of another time zone.
    const added = onlyA.filter(({ play }) => play.addedTo[side] !== undefined)
    const days = pairPlays(added, onlyB.filter(isDay), ZONES_MS)
    const found = [...pairs, ...days.pairs]
    // A service may store the time at which it received a play.
    let rest = [...onlyB.filter((row) => !isDay(row)), ...days.onlyB]
    for (const one of days.onlyA) {
      const row = rest.find((each) => isWithin(each, one.play.addedTo[side]!))
      if (row === undefined) continue
      found.push([one, row])
      rest = rest.filter((each) => each !== row)
    }
    return { pairs: found, onlyB: rest }
  }
  const [ofA, ofB] = [pairWithBase('a', a), pairWithBase('b', b)]
  const drafts = new Map<number, Draft>(base.map(({ node }) => [node, { bases: [node] }]))
  for (const [one, row] of ofA.pairs) drafts.get(one.play.node)!.a = row
  for (const [one, row] of ofB.pairs) drafts.get(one.play.node)!.b = row
  const all: Draft[] = [
    ...drafts.values(),
    ...ofA.onlyB.map((row) => ({ bases: [], a: row })),
    ...ofB.onlyB.map((row) => ({ bases: [], b: row })),
  ]
  const known = viewings.length === 0 ? all : joinViewings(all, viewings)
  const lone = (side: Side) =>
    known.flatMap((draft) => (draft.bases.length === 0 && draft[other(side)] === undefined ? (draft[side] ?? []) : []))
  const fresh = pairPlays(lone('a'), lone('b'), toleranceMs)
  const partner = new Map(fresh.pairs.map(([one, row]) => [one.node, row]))
  const met = new Set(fresh.pairs.map(([, row]) => row))
  return known.flatMap((draft) => {
    if (draft.b !== undefined && met.has(draft.b)) return []
    const found = draft.a === undefined ? undefined : partner.get(draft.a.node)
    return [group(found === undefined ? draft : { ...draft, b: found })]
  })

  function group(draft: Draft): PlayGroup {
    const { bases, viewing } = draft
    const [first, ...moreBases] = bases
    const repeats = repeatedOn(draft, viewings)
    return {
      base: first,
      ...(moreBases.length === 0 ? {} : { moreBases }),
      a: draft.a?.node,
      b: draft.b?.node,
      viewing,
      repeats,
    }
  }
}

/** Joins the rows of each viewing unless one of them already has a counterpart. */
function joinViewings(drafts: readonly Draft[], viewings: readonly Viewing[]): readonly Draft[] {
  const withRow = (side: Side) => drafts.flatMap((draft) => draft[side] ?? [])
  const rows = { a: assignRows(viewings, 'a', withRow('a')), b: assignRows(viewings, 'b', withRow('b')) }
  const gone = new Set<Draft>()
  for (const viewing of viewings) {
    const draftOf = (side: Side) => {
      const row = rows[side].get(viewing)
      return row === undefined ? undefined : drafts.find((draft) => draft[side] === row)
    }
    const [ofA, ofB] = [draftOf('a'), draftOf('b')]
    if (ofA !== undefined) ofA.viewing = viewing
    if (ofB !== undefined) ofB.viewing = viewing
    if (ofA === undefined || ofB === undefined || ofA === ofB) continue
    if (ofA.b !== undefined || ofB.a !== undefined) {
      for (const draft of [ofA, ofB]) draft.isSecond = true
      continue
    }
    ofA.b = ofB.b!
    ofA.bases.push(...ofB.bases)
    gone.add(ofB)
  }
  return drafts.filter((draft) => !gone.has(draft))
}

/** The sides on which a row without a counterpart must not be added: its viewing exists or was recorded there. */
function repeatedOn(draft: Draft, viewings: readonly Viewing[]): Repeat | undefined {
  const side = SIDES.find((each) => draft[each] !== undefined && draft[other(each)] === undefined)
  if (side === undefined || viewings.length === 0) return undefined
  const to = other(side)
  const own = draft.viewing
  const given = own?.[to].given
  if (given !== undefined) return { side: to, given }
  const viewing =
    own === undefined ? viewingWith(viewings, side, draft[side]!) : draft.isSecond === true ? own : undefined
  return viewing === undefined ? undefined : { side: to, given: isExpectedOnly(viewing) ? 'expected' : 'recorded' }
}

const isDay = ({ precision }: Time) => precision === 'date'

function isWithin(time: Time, { fromMs, toMs }: Span): boolean {
  const [before, after] = isDay(time) ? [DAY_MS + ZONES_MS, ZONES_MS] : [RECEIVED_MS, RECEIVED_MS]
  return time.atMs >= fromMs - before && time.atMs <= toMs + after
}

export function timeOf(item: Item): Time | undefined {
  return parseTime(item.watched_at)
}

/** Equal rows are one play; two plays of the same second have different event ids. */
function withoutCopies(plays: readonly PlayNode[]): readonly PlayNode[] {
  const eventsByTime = new Map<string, Set<string | undefined>>()
  return plays.filter(({ atMs, precision, eventId }) => {
    const events = eventsByTime.getOrInsertComputed(`${atMs} ${precision}`, () => new Set())
    const isCopy = eventId === undefined ? events.size > 0 : events.has(eventId) || events.has(undefined)
    if (!isCopy) events.add(eventId)
    return !isCopy
  })
}

interface Representative {
  /** -1 if there is none. */
  readonly index: number
  /** All rows agree on the value. */
  readonly clear: boolean
  /** Further rows. They must not contradict the first one. */
  readonly more: readonly number[]
  /** A manual add represents the account: alone, or together with an equal row of the account. */
  readonly byHand?: 'only' | 'too'
}

export function representativeOf(rows: SideRows, indexes: readonly number[]): Representative {
  const given = rows.total === rows.size ? [] : indexes.filter((index) => rows.isByHand(index))
  const own = given.length === 0 ? indexes : indexes.filter((index) => !rows.isByHand(index))
  const adds = given.filter((index) => rows.skip(index) === undefined)
  // An add whose value this feature cannot use represents no row of the account.
  if (adds.length === 0) return best(rows, own.length === 0 ? given : own)
  const add = best(rows, adds)
  const items = [...adds, ...own].map((index) => rows.item(index))
  if (anyContradict(items)) return { index: add.index, clear: false, more: [...add.more, ...own], byHand: 'only' }
  const used = own.filter((index) => rows.skip(index) === undefined)
  const known = best(rows, used.length === 0 ? own : used)
  if (known.index >= 0) rows.joinByHand(add.index, known.index)
  const isSame = used.length > 0 && rows.value(known.index) === rows.value(add.index)
  return { index: add.index, clear: add.clear, more: [], byHand: isSame ? 'too' : 'only' }
}

/** The row that represents the group, and whether all rows agree with it. */
function best(rows: SideRows, indexes: readonly number[]): Representative {
  if (indexes.length === 0) return { index: -1, clear: true, more: [] }
  if (indexes.length === 1) return { index: indexes[0]!, clear: true, more: [] }
  const more = (chosen: number) => indexes.filter((index) => index !== chosen)
  const used = indexes.filter((index) => rows.skip(index) === undefined)
  if (used.length === 0) return { index: indexes[0]!, clear: true, more: more(indexes[0]!) }
  const rank = Math.max(...used.map((index) => rows.rank(index) ?? -Infinity))
  const top = used.filter((index) => (rows.rank(index) ?? -Infinity) === rank)
  const clear = top.every((index) => rows.value(index) === rows.value(top[0]!))
  // Independent of the order of the rows.
  const chosen = top.reduce((least, index) => (rows.json(index) < rows.json(least) ? index : least))
  return { index: chosen, clear, more: more(chosen) }
}

interface Plays {
  /** The rows of the account, and manual adds of plays that the account lacks. */
  readonly indexes: readonly number[]
  /** Rows of the account for which a manual add exists too. */
  readonly given: ReadonlySet<number>
}

const NONE: ReadonlySet<number> = new Set()

export function playsOf(rows: SideRows, indexes: readonly number[], toleranceMs: number): Plays {
  if (rows.total === rows.size || !indexes.some((index) => rows.isByHand(index))) return { indexes, given: NONE }
  const timed = (all: readonly number[]) =>
    all.flatMap((index): (Time & { readonly index: number })[] => {
      const time = rows.skip(index) === undefined ? timeOf(rows.item(index)) : undefined
      return time === undefined ? [] : [{ ...time, index }]
    })
  const own = indexes.filter((index) => !rows.isByHand(index))
  const adds = timed(indexes.filter((index) => rows.isByHand(index)))
  const { pairs, onlyB } = pairPlays(timed(own), adds, toleranceMs)
  return { indexes: [...own, ...onlyB.map(({ index }) => index)], given: new Set(pairs.map(([play]) => play.index)) }
}
