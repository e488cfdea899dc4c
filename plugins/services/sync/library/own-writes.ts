// The journal of an account in a run: what Playhead wrote to it, by any pair and profile. Loaded when a row needs it, once for
// each account unless an earlier time is needed.
import { defined } from '@playhead/sdk'
import { type Item, type Progress, progressOf, tokensOf } from '@playhead/sdk/items'
import type { Side } from '@playhead/sdk/sync'
import type { SideRead } from './read-side.ts'
import { TIME_FIELDS } from '../store/origin-of.ts'
import { type JournalledWrite, journalOf } from '../store/written.ts'
import type { FeatureRun } from '../feature-run.ts'

/** A write without its item, because there may be many. */
export interface OwnWrite extends Omit<JournalledWrite, 'item'> {
  /** The time of the act that was sent. */
  readonly time?: string
  readonly position?: Progress
}

export interface OwnWrites {
  /** Rows that pairs wrote since, by their tokens: when the account of their origin last lacked them; null if unknown. */
  lackedSince(side: Side, sinceMs: number): Promise<ReadonlyMap<string, number | null>>
  /** Playhead wrote nothing to the account, as far as the journal goes back. */
  hasNone(side: Side): Promise<boolean>
  /**
   * Writes of the item, of plans made since then, the latest first.
   *
   * @param kind `shown`: adds and updates; `removed`: removals
   */
  find(side: Side, kind: 'shown' | 'removed', item: Item, sinceMs: number): Promise<readonly OwnWrite[]>
}

type Found = ReadonlyMap<string, OwnWrite | readonly OwnWrite[]>
type Loaded = Readonly<Record<'shown' | 'removed', Found>>

export function createOwnWrites(run: FeatureRun, reads: Readonly<Record<Side, Pick<SideRead, 'account'>>>): OwnWrites {
  const { feature } = run
  const loaded: Partial<Record<Side, { readonly sinceMs: number; readonly writes: Promise<Loaded> }>> = {}

  async function load(side: Side, sinceMs: number): Promise<Loaded> {
    const { uid, provider } = run.sides[side]
    const found = { shown: new Map<string, OwnWrite | OwnWrite[]>(), removed: new Map<string, OwnWrite | OwnWrite[]>() }
    for await (const page of journalOf(run.engine.db, {
      uid,
      provider,
      account: reads[side].account,
      feature,
      sinceMs,
    }))
      for (const { item, ...rest } of page) {
        const write: OwnWrite = {
          ...rest,
          ...defined({
            time: feature === 'playlists' ? undefined : item[TIME_FIELDS[feature]],
            position: feature === 'progress' ? progressOf(item) : undefined,
          }),
        }
        const own = found[write.op === 'remove' ? 'removed' : 'shown']
        for (const token of tokensOf(item)) {
          const known = own.get(token)
          if (known === undefined) own.set(token, write)
          else if (Array.isArray(known)) known.push(write)
          else own.set(token, [known, write])
        }
      }
    return found
  }

  function writesSince(side: Side, sinceMs: number): Promise<Loaded> {
    let known = loaded[side]
    if (known === undefined || known.sinceMs > sinceMs) {
      // A first run needs all of them.
      const fromMs = run.state === null ? 0 : known === undefined ? sinceMs : stepBefore(sinceMs, run.nowMs)
      loaded[side] = known = { sinceMs: fromMs, writes: load(side, fromMs) }
    }
    return known.writes
  }

  return {
    async lackedSince(side, sinceMs) {
      const found = new Map<string, number | null>()
      for (const [token, known] of (await writesSince(side, sinceMs)).shown) {
        const writes = listOf(known).filter(({ plan }) => plan.isOfPair && plan.createdAtMs >= sinceMs)
        const last = writes.reduce<OwnWrite | undefined>(
          (x, y) => (x !== undefined && x.doneAtMs >= y.doneAtMs ? x : y),
          undefined,
        )
        if (last !== undefined) found.set(token, last.lackedAtMs)
      }
      return found
    },
    async hasNone(side) {
      const { shown, removed } = await writesSince(side, 0)
      return shown.size + removed.size === 0
    },
    async find(side, kind, item, sinceMs) {
      const own = (await writesSince(side, sinceMs))[kind]
      if (own.size === 0) return NONE
      const writes: OwnWrite[] = []
      for (const token of tokensOf(item)) {
        const known = own.get(token)
        if (known === undefined) continue
        for (const write of listOf(known))
          if (write.plan.createdAtMs >= sinceMs && !writes.includes(write)) writes.push(write)
      }
      return writes.length < 2 ? writes : writes.sort((x, y) => y.doneAtMs - x.doneAtMs)
    },
  }
}

function listOf(known: OwnWrite | readonly OwnWrite[]): readonly OwnWrite[] {
  return Array.isArray(known) ? (known as readonly OwnWrite[]) : [known as OwnWrite]
}

const NONE: readonly OwnWrite[] = []
/** Ages to which a load is extended, so that it is extended a few times only. */
const STEPS_MS = [6 * 3_600_000, 48 * 3_600_000]

function stepBefore(sinceMs: number, nowMs: number): number {
  const step = STEPS_MS.find((ms) => nowMs - ms <= sinceMs)
  return step === undefined ? 0 : nowMs - step
}
