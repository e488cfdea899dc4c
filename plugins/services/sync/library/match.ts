// Plays of an item that belong together, in a matched group.
import type { Side } from '@playhead/sdk'
import { type Item, pairPlays, parseTime, type Time } from '@playhead/sdk/items'
import { other, SIDES } from '../feature-run.ts'
import { assignRows, isExpectedOnly, type Repeat, type Viewing, viewingWith } from './viewings.ts'

export interface PlayNode extends Time {
  /** Numbered within its side. */
  readonly node: number
  readonly eventId?: string | undefined
}
export interface BasePlay extends Time {
  readonly node: number
  readonly a: Time | null
  readonly b: Time | null
}
interface PlayGroup {
  readonly base?: number
  /** Further base plays that are the same play. */
  readonly moreBases?: readonly number[]
  readonly a?: number
  readonly b?: number
  readonly copies?: readonly number[]
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
  const [a, copiesOfA] = withoutCopies(aPlays)
  const [b, copiesOfB] = withoutCopies(bPlays)
  const pairWithBase = (side: Side, rows: readonly PlayNode[]) =>
    pairPlays(
      base.map((play) => ({ ...(play[side] ?? play), play })),
      rows,
      toleranceMs,
    )
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
    const copies = [copiesOfA.get(draft.a?.node ?? -1) ?? [], copiesOfB.get(draft.b?.node ?? -1) ?? []].flat()
    const repeats = repeatedOn(draft, viewings)
    return {
      base: first,
      ...(moreBases.length === 0 ? {} : { moreBases }),
      a: draft.a?.node,
      b: draft.b?.node,
      ...(copies.length === 0 ? {} : { copies }),
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

export function timeOf(item: Item): Time | undefined {
  return parseTime(item.watched_at)
}

/** Equal rows are one play; two plays of the same second have different event ids. */
function withoutCopies(plays: readonly PlayNode[]): [PlayNode[], Map<number, number[]>] {
  const copies = new Map<number, number[]>()
  const unique: PlayNode[] = []
  const byTime = new Map<
    string,
    { readonly first: PlayNode; unnamed?: PlayNode; readonly byEvent: Map<string, PlayNode> }
  >()
  for (const play of plays) {
    const time = `${play.atMs} ${play.precision}`
    const { eventId } = play
    let known = byTime.get(time)
    const same = eventId === undefined ? known?.first : (known?.byEvent.get(eventId) ?? known?.unnamed)
    if (same !== undefined) {
      copies.getOrInsertComputed(same.node, () => []).push(play.node)
      continue
    }
    unique.push(play)
    if (known === undefined) byTime.set(time, (known = { first: play, byEvent: new Map() }))
    if (eventId === undefined) known.unnamed = play
    else known.byEvent.set(eventId, play)
  }
  return [unique, copies]
}
