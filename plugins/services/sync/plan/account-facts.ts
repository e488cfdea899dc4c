// Facts that the accounts of a run have beyond the rows of their reads, from all pairs and profiles: removals, when they last
// lacked a row, and writes that their reads do not show yet.
import type { Decision, Side } from '@playhead/sdk'
import { type Item, rowKey } from '@playhead/sdk/items'
import { inventoryOf, type SideRead } from '../library/read-side.ts'
import { findInventory, knownEvents, knownItems, lackedRows } from '../store/inventory.ts'
import {
  accountKeys,
  concerns,
  findTombstones,
  hasTombstones,
  namedPlay,
  playMarkOf,
  tombstoneTokens,
} from '../store/tombstones.ts'
import { type UnseenWrite, unseenWrites } from '../store/written.ts'
import { type FeatureRun, other, SIDES } from '../feature-run.ts'
import { createOwnWrites, type OwnWrites } from '../library/own-writes.ts'
import { lackedMs, playName, type Removed } from './readded.ts'
import { GRACE_MS, type GroupView } from './view.ts'

/** The facts about rows that only one side has. */
export interface AccountFacts {
  readonly removed: Readonly<Record<Side, Removed>>
  /** The write of the row to the side by another pair, which no read shows yet: adding it again could double it. */
  unseen(side: Side, view: GroupView): UnseenWrite | undefined
}

type Reads = Readonly<Record<Side, Pick<SideRead, 'account' | 'atMs' | 'rows'>>>

const NONE: Removed = { tombstones: new Map(), lackedAtMs: new Map(), reentered: new Set() }
/** Other plays of the account, to see whether the service gave all of them new ids. */
const SAMPLE = 20

/** Each fact is loaded when a row needs it, and once in a run. */
export function createAccountFacts(run: FeatureRun, reads: Reads, own: OwnWrites = createOwnWrites(run, reads)) {
  const { db } = run.engine
  const heads: Partial<Record<Side, ReturnType<typeof findInventory>>> = {}
  const removals: Partial<Record<Side, Promise<boolean>>> = {}
  const unseen: Partial<Record<Side, Promise<ReadonlyMap<string, readonly UnseenWrite[]>>>> = {}
  /** Also undefined if it belongs to another account. */
  async function inventory(side: Side) {
    const head = await (heads[side] ??= findInventory(db, inventoryOf(run, run.sides[side])))
    return head?.account === reads[side].account ? head : undefined
  }

  /** By the key of the row; rows that were always there, as far as reads show, are absent. */
  async function lackedAtMs(side: Side, items: readonly Item[]): Promise<ReadonlyMap<string, number>> {
    if (items.length === 0) return NONE.lackedAtMs
    const head = await inventory(side)
    const readAtMs = head?.readAtMs ?? null
    if (head === undefined || readAtMs === null) return NONE.lackedAtMs
    const named = new Map(items.map((item) => [rowKey(item, run.plays), item]))
    const stored = await lackedRows(db, head, [...named.keys()])
    const found = new Map<string, number>()
    for (const [key, item] of named) {
      const known = stored.get(key)
      if (known === undefined) {
        const write = await own.bringing(side, item, readAtMs)
        // A row that Playhead wrote, in any pair, is as new as the row that caused the write.
        const atMs = write === undefined ? readAtMs : write.lackedAtMs
        if (atMs !== null) found.set(key, atMs)
      } else if (known !== null) found.set(key, known)
    }
    return found
  }

  /**
   * Plays that only this side has left, and that have another id at the service than in the last read: a person removed them and
   * entered them again. A service that gave all of its plays new ids proves nothing, nor does the id of a later play of an item.
   */
  async function reentered(side: Side, views: readonly GroupView[]): Promise<ReadonlySet<string>> {
    const events = new Map<string, string>()
    const times = new Map<string, string | undefined>()
    for (const { group } of views) {
      const row = group[side]
      const event = row?.item.native?.event_id
      if (event === undefined || group[other(side)] !== null || group.base?.a == null || group.base.b === null) continue
      const key = rowKey(row!.item, run.plays)
      events.set(key, event)
      times.set(key, row!.item.watched_at)
    }
    if (events.size === 0) return NONE.reentered
    const head = await inventory(side)
    if (head === undefined) return NONE.reentered
    const changed = new Set<string>()
    for (const [key, item] of await knownItems(db, head, [...events.keys()])) {
      const { native, watched_at: time } = JSON.parse(item) as Item
      const before = native?.event_id
      if (before !== undefined && before !== events.get(key) && time === times.get(key)) changed.add(key)
    }
    if (changed.size === 0) return NONE.reentered
    const others = sampleOf(reads[side].rows, new Set(events.values()))
    const isRenumbered = others.length > 0 && (await knownEvents(db, head, others)).length === 0
    return isRenumbered ? NONE.reentered : changed
  }

  return {
    lackedAtMs,

    /** Removals of the items that only one side has. */
    async removedOf(views: readonly GroupView[]): Promise<Readonly<Record<Side, Removed>>> {
      const found: Record<Side, Removed> = { a: NONE, b: NONE }
      const single = views.filter(({ group }) => (group.a === null) !== (group.b === null))
      let tokens: readonly string[] | undefined
      for (const side of SIDES) {
        found[side] = { ...NONE, reentered: await reentered(side, views) }
        const names = accountKeys(run.sides[side], reads[side].account)
        if (!(await (removals[side] ??= hasTombstones(db, names, run.feature)))) continue
        tokens ??= single.flatMap(({ item }) => tombstoneTokens(item))
        found[side] = { ...found[side], tombstones: await findTombstones(db, names, run.feature, tokens) }
      }
      const { a, b } = found
      if (a.tombstones.size + b.tombstones.size === 0) return found
      const isRemoved = (token: string) => a.tombstones.has(token) || b.tombstones.has(token)
      const questioned = single.filter(({ item }) => tombstoneTokens(item).some(isRemoved))
      for (const side of SIDES) {
        const items = questioned.flatMap(({ group }) => group[side]?.item ?? [])
        found[side] = { ...found[side], lackedAtMs: await lackedAtMs(side, items) }
      }
      return found
    },

    /**
     * The facts about decided adds. Added rows inherit when the accounts last lacked the rows that cause them.
     * @param isNoted rows without an operation that are looked up as well
     */
    async ofDecided(
      removed: Readonly<Record<Side, Removed>>,
      views: readonly GroupView[],
      decisions: readonly Decision[],
      isNoted: (view: GroupView, index: number) => boolean,
    ): Promise<AccountFacts> {
      const found = { ...removed }
      const writes: Partial<Record<Side, ReadonlyMap<string, readonly UnseenWrite[]>>> = {}
      for (const side of SIDES) {
        const from = other(side)
        const isAdded = (index: number) => decisions[index]!.ops.some((op) => op.op === 'add' && op.side === side)
        const items = views.flatMap((view, index) => {
          const { [side]: opposite, [from]: row } = view.group
          if (row === null) return []
          return isAdded(index) || (opposite === null && isNoted(view, index)) ? row.item : []
        })
        if (items.length === 0) continue
        const lacked = await lackedAtMs(from, items)
        found[from] = { ...removed[from], lackedAtMs: new Map([...removed[from].lackedAtMs, ...lacked]) }
        if (!views.some((_, index) => isAdded(index))) continue
        const { uid, provider } = run.sides[side]
        writes[side] = await (unseen[side] ??= unseenWrites(db, {
          ...{ uid, provider, account: reads[side].account, feature: run.feature },
          ...{ sinceMs: run.nowMs - GRACE_MS, exceptPair: run.pair.id },
        }))
      }
      return {
        removed: found,
        unseen(side, view) {
          const own = writes[side]
          if (own === undefined || own.size === 0) return undefined
          const play = playName(run, view)
          const sinceMs = lackedMs(other(side), view, { run, removed: found }) ?? -Infinity
          // A row that a person added after the write is a different row.
          const isSame = ({ item, plays, doneAtMs }: UnseenWrite) =>
            doneAtMs > sinceMs && concerns(namedPlay(plays ? playMarkOf(rowKey(item, true)) : '', item), play)
          return tombstoneTokens(view.item)
            .flatMap((token) => own.get(token) ?? [])
            .findLast(isSame)
        },
      }
    },
  }
}

function sampleOf(rows: SideRead['rows'], except: ReadonlySet<string>): readonly string[] {
  const found: string[] = []
  for (let index = 0; index < rows.size && found.length < SAMPLE; index += 1) {
    const event = rows.item(index).native?.event_id
    if (event !== undefined && !except.has(event)) found.push(event)
  }
  return found
}
