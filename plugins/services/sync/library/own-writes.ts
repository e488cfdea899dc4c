// The journal of an account in a run: what Playhead wrote to it, by any pair and profile. Loaded when a row needs it, once for
// each account unless an earlier time is needed.
import { defined } from '@playhead/sdk'
import {
  createTextNumbers,
  type Item,
  parseTime,
  type Progress,
  progressOf,
  REPORTED_PLAY_MS,
  sameTime,
  tokensOf,
  ZONES_MS,
} from '@playhead/sdk/items'
import type { Side } from '@playhead/sdk/sync'
import { baseRowsByKey, slotOf } from '../store/base.ts'
import { actTimeIn } from '../store/origin-of.ts'
import { rowOfWrite, type JournalledWrite, journalOf } from '../store/written.ts'
import type { FeatureRun } from '../feature-run.ts'

/** A write without its item, because there may be many. */
export interface OwnWrite extends Omit<JournalledWrite, 'item'> {
  /** The time of the act that was sent. */
  readonly time?: string
  readonly position?: Progress
}

export interface OwnWrites {
  /** Playhead wrote nothing to the account, as far as the journal goes back. */
  hasNone(side: Side): Promise<boolean>
  /**
   * Writes of the item, of plans made since then, the latest first. In a run by play, those of the play.
   *
   * @param kind `shown`: adds and updates; `removed`: removals
   */
  find(side: Side, kind: 'shown' | 'removed', item: Item, sinceMs: number): Promise<readonly OwnWrite[]>
  /** The latest write of a pair that the account may show. */
  ofPair(side: Side, item: Item, sinceMs: number): Promise<OwnWrite | undefined>
  /**
   * The write of a pair that created a row which the account's previous read lacked.
   * @param lackedAtMs the time of that read
   */
  bringing(side: Side, item: Item, lackedAtMs: number): Promise<OwnWrite | undefined>
}

interface Loaded {
  readonly tokens: ReturnType<typeof createTextNumbers>
  /** By the number of a token of their items; most have one, which needs no list. */
  readonly writes: readonly (OwnWrite | readonly OwnWrite[])[]
}

export function createOwnWrites(
  { engine, sides, feature, plays, nowMs }: FeatureRun,
  accounts: Readonly<Partial<Record<Side, { readonly account: string }>>>,
): OwnWrites {
  const loaded: Partial<Record<Side, { readonly sinceMs: number; readonly journal: Promise<Loaded> }>> = {}

  async function load(side: Side, sinceMs: number): Promise<Loaded> {
    const { uid, provider } = sides[side]
    const tokens = createTextNumbers()
    const writes: (OwnWrite | readonly OwnWrite[])[] = []
    const of = { uid, provider, account: accounts[side]!.account, feature, sinceMs }
    // Equal texts are kept once.
    const causes = new Map<string, string>()
    for await (const page of journalOf(engine.db, of))
      for (const { item, value, cause, ...rest } of page) {
        const time = actTimeIn(feature, item)
        const position = feature === 'progress' ? progressOf(item) : undefined
        const about = defined({ time: time === value ? value : time, position })
        const write: OwnWrite = { ...rest, value, cause: causes.getOrInsert(cause, cause), ...about }
        for (const number of tokensOf(item).map(tokens.numberOf)) {
          const known = writes[number]
          writes[number] = known === undefined ? write : [known, write].flat()
        }
      }
    return { tokens, writes }
  }

  function writesSince(side: Side, sinceMs: number): Promise<Loaded> {
    let known = loaded[side]
    if (known === undefined || known.sinceMs > sinceMs) {
      const fromMs = known === undefined ? sinceMs : stepBefore(sinceMs, nowMs)
      loaded[side] = known = { sinceMs: fromMs, journal: load(side, fromMs) }
    }
    return known.journal
  }

  const find: OwnWrites['find'] = async (side, kind, item, sinceMs) => {
    const { tokens, writes } = await writesSince(side, sinceMs)
    if (writes.length === 0) return []
    const isMeant = ({ op, plan }: OwnWrite) =>
      (op === 'remove') === (kind === 'removed') && plan.createdAtMs >= sinceMs
    const own = new Set<OwnWrite>()
    for (const token of tokensOf(item)) {
      const number = tokens.find(token)
      if (number === undefined) continue
      for (const write of [writes[number]!].flat()) if (isMeant(write) && mayBeOf(item, write)) own.add(write)
    }
    return [...own].sort((x, y) => y.doneAtMs - x.doneAtMs)
  }

  /** A write of another play of the item explains nothing, unless the service gave the play its own time. */
  function mayBeOf(item: Item, { op, value, sentAtMs }: OwnWrite): boolean {
    const [time, writtenMs] = [parseTime(item.watched_at), Number(value) * 1_000]
    if (!plays || op === 'remove' || time === undefined || !(writtenMs > 0)) return true
    const apartMs = time.precision === 'date' ? ZONES_MS : REPORTED_PLAY_MS
    return sameTime(time, { atMs: writtenMs, precision: 'second' }, apartMs) || time.atMs >= sentAtMs
  }

  /** Whether the pair that added the row still waits for a read that shows it. */
  async function isPending({ plan, n }: OwnWrite): Promise<boolean> {
    const row = await rowOfWrite(engine.db, plan.id, n)
    if (row === undefined) return false
    const known = await baseRowsByKey(engine.db, row.pairId, feature, [row.key])
    return known.get(row.key)?.state[slotOf(plan.side)]?.o === 'add'
  }

  return {
    hasNone: async (side) => (await writesSince(side, 0)).writes.length === 0,
    find,
    ofPair: async (side, item, sinceMs) => (await find(side, 'shown', item, sinceMs)).find(({ plan }) => plan.isOfPair),
    async bringing(side, item, lackedAtMs) {
      const writes = await find(side, 'shown', item, lackedAtMs - LONG_RUN_MS)
      const write = writes.find(({ plan }) => plan.isOfPair)
      if (write === undefined || write.plan.createdAtMs >= lackedAtMs) return write
      return write.doneAtMs > lackedAtMs - CACHE_MS && (await isPending(write)) ? write : undefined
    },
  }
}

/** A plan may be this much older than its writes. */
const LONG_RUN_MS = 6 * 3_600_000
/** A service may answer a read from a cache that is older than a write. */
export const CACHE_MS = 15 * 60_000
/** No cache is older than that. */
export const OLDEST_CACHE_MS = 3_600_000
/** Ages to which a load is extended, so that it is extended a few times only. */
const STEPS_MS = [6 * 3_600_000, 48 * 3_600_000]

function stepBefore(sinceMs: number, nowMs: number): number {
  const step = STEPS_MS.find((ms) => nowMs - ms <= sinceMs)
  return step === undefined ? 0 : nowMs - step
}
