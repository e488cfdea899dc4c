// Compares rows of a caller, for example of a file, with those of an account: work by work, and plays one to one.
import type { ComparedWork, ComparisonPart, LibraryRow } from '@playhead/sdk'
import { yieldToLoop } from '@playhead/sdk'
import {
  createLinks,
  formatTime,
  type IdSlots,
  idSlotsOf,
  pairPlays,
  parseTime,
  REPORTED_PLAY_MS,
  rowKey,
  sameTime,
  slotsContradict,
  type Time,
  tokensOf,
  VIEWING_MS,
  ZONES_MS,
} from '@playhead/sdk/items'
import type { Feature } from '@playhead/sdk/provider'
import type { SyncSettings } from '../contract.ts'
import type { EngineParts } from '../feature-run.ts'
import { readWhole } from './live.ts'
import { isOwned } from './read-side.ts'
import type { RowList } from './row-lists.ts'

interface Rows {
  readonly size: number
  row(index: number): LibraryRow
}

interface Linked extends LibraryRow {
  readonly index: number
  readonly tokens: readonly string[]
  readonly slots: IdSlots
}

const PAGE = 250

/** Implements `library.compareRows`. */
export async function* compareRows(
  engine: EngineParts,
  { of, texts, count }: RowList,
  settings: SyncSettings,
  signal: AbortSignal,
): AsyncGenerator<ComparisonPart> {
  const options = { planId: 'compare', settings, cause: 'compare', signal }
  const { run, read, end } = await readWhole(engine, of, options)
  try {
    yield { type: 'read', end }
    const given = { size: count, row: (index: number) => JSON.parse(texts.get(index)) as LibraryRow }
    const owned = Array.from({ length: read.rows.size }, (_, at) => at).filter((at) => isOwned(read.rows, at))
    const rowOf = (item: LibraryRow['item']) => ({ key: rowKey(item, run.plays), item })
    const held = { size: owned.length, row: (index: number) => rowOf(read.rows.item(owned[index]!)) }
    for await (const works of comparedWorks(of.feature, given, held)) {
      signal.throwIfAborted()
      yield { type: 'works', works }
    }
  } finally {
    read.rows.release()
  }
}

/** Pages of at least 250 rows, each of which ends with a complete work. */
export async function* comparedWorks(
  feature: Feature,
  given: Rows,
  held: Rows,
): AsyncGenerator<readonly ComparedWork[]> {
  const rowAt = (index: number): Linked => {
    const row = index < given.size ? given.row(index) : held.row(index - given.size)
    const tokens = tokensOf(row.item, { within: 'provider' })
    return { ...row, index, tokens, slots: idSlotsOf(tokens) }
  }
  const links = createLinks()
  for (let index = 0; index < given.size + held.size; index += 1) {
    links.add(rowAt(index).tokens)
    if (index % PAGE === 0) await yieldToLoop()
  }
  const groups = links.groups()
  let page: ComparedWork[] = []
  let size = 0
  for (const group of groups()) {
    // The rows of the caller are first.
    if (group[0]! >= given.size) return yield page
    for (const work of worksOf(Array.from(group, rowAt), given.size, feature)) {
      // Resolving many rows with contradicting ids takes a while.
      if (group.length > PAGE) await yieldToLoop()
      page.push(work)
      size += work.given.length + work.held.length
      if (size < PAGE) continue
      yield page
      page = []
      size = 0
      await yieldToLoop()
    }
  }
  yield page
}

/** The works of linked rows: one, unless ids contradict each other. Each row joins the first work that it can be part of. */
function* worksOf(rows: readonly Linked[], firstHeld: number, feature: Feature): Generator<ComparedWork> {
  const byToken = new Map<string, Linked[]>()
  for (const row of rows) for (const token of row.tokens) byToken.getOrInsertComputed(token, () => []).push(row)
  const open = new Set(rows)
  for (const first of rows) {
    if (first.index >= firstHeld) return
    if (!open.delete(first)) continue
    const work = new Set([first])
    const slots = new Map(first.slots)
    const asked = new Set<string>()
    for (const row of work)
      for (const token of row.tokens) {
        if (asked.has(token)) continue
        asked.add(token)
        for (const near of byToken.get(token)!) {
          if (!open.has(near) || slotsContradict(slots, near.slots)) continue
          open.delete(near)
          work.add(near)
          for (const [slot, id] of near.slots) slots.set(slot, id)
        }
      }
    const inOrder = [...work].sort((a, b) => a.index - b.index)
    const own = inOrder.filter(({ index }) => index < firstHeld)
    const [given, held] = [own, inOrder.slice(own.length)].map((some) => some.map(({ key, item }) => ({ key, item })))
    const tokens = new Set(own.flatMap((row) => row.tokens))
    const isAnother = (near: Linked) => near.index >= firstHeld && !work.has(near)
    yield {
      given: given!,
      held: held!,
      isContradicted: [...tokens].some((token) => byToken.get(token)!.some(isAnother)),
      present:
        feature === 'history' ? presentPlays(given!, held!) : held!.length > 0 ? given!.map(({ key }) => key) : [],
    }
  }
}

/** Keys of the given plays that the account has. */
function presentPlays(given: readonly LibraryRow[], held: readonly LibraryRow[]): readonly string[] {
  const keys = Map.groupBy(given.flatMap(timed), formatTime)
  const isDay = ({ precision }: Time) => precision === 'date'
  const [plays, known] = [[...keys.values()].map(([first]) => first!), held.flatMap(timed)]
  const timesIn = <Play extends Time>(some: readonly Play[]) => some.filter((play) => !isDay(play))
  const exact = pairPlays(timesIn(plays), timesIn(known), REPORTED_PLAY_MS)
  const near = pairPlays([...exact.onlyA, ...plays.filter(isDay)], [...exact.onlyB, ...known.filter(isDay)], ZONES_MS)
  const certain = near.pairs.filter(([a, b]) => isDay(a) || isDay(b) || sameTime(a, b, VIEWING_MS))
  return [...exact.pairs, ...certain].flatMap(([play]) => keys.get(formatTime(play))!.map(({ key }) => key))
}

function timed({ key, item }: LibraryRow): readonly (Time & { readonly key: string })[] {
  const time = parseTime(item.watched_at)
  return time === undefined ? [] : [{ key, ...time }]
}
