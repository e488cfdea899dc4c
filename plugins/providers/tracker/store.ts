// Access to the tracker's data for the provider and other plugins: one transaction per call, and errors instead of
// empty lists.
import { defined, isPlayheadError, type Logger, PlayheadError, yieldToLoop } from '@playhead/sdk'
import { type Item, parseTime, tokensOf } from '@playhead/sdk/items'
import {
  type ItemOutcome,
  NOT_SENT,
  type PlaysRequest,
  type ReadPart,
  type ReadRequest,
  sortPlays,
  type WriteOutcome,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { applyItem } from './apply.ts'
import { accountOf, readRows } from './read.ts'
import { chunked, findRows, isCurrent, writeRows } from './rows.ts'
import { createListStore, type ListStore } from './lists/store.ts'
import { isTracked, TRACKED, type Profile, type Tracked } from './settings.ts'
import { listSnapshots, nextChange, restoreSnapshot, tidy } from './snapshots.ts'
import { ensureState, knownSpaceOf, removeSpace, setState, spaceOf } from './spaces.ts'
import { shownItem, unreadable } from './stored-item.ts'
import { ROWS, SNAPSHOTS, SPACES, type Db, type StoredState } from './tables.ts'
import { createWorkingSet } from './working-set.ts'

interface Snapshot {
  readonly name: string
  readonly atMs: number
}

interface FeatureStats {
  readonly feature: Tracked
  readonly rows: number
  readonly snapshots: number
}

export interface Store extends ListStore {
  account(instance: string): Promise<string>
  read(
    instance: string,
    profile: Readonly<Profile>,
    request: ReadRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ReadPart>
  write(instance: string, profile: Readonly<Profile>, request: WriteRequest): Promise<WriteResult>
  /**
   * Adds the play unless a play of the item is closer than `tooNearMs`, and removes the position, as one change. The result contains
   * the existing play.
   */
  finish(
    instance: string,
    profile: Readonly<Profile>,
    play: Item,
    tooNearMs: number,
  ): Promise<{ readonly outcome: ItemOutcome; readonly play?: Item }>
  /** Plays of the item between two times, both inclusive. */
  plays(instance: string, profile: Readonly<Profile>, request: PlaysRequest): Promise<readonly Item[]>
  /** Newest first. */
  snapshots(instance: string, feature: Tracked): Promise<readonly Snapshot[]>
  restore(instance: string, profile: Readonly<Profile>, feature: Tracked, name: string): Promise<void>
  stats(instance: string): Promise<readonly FeatureStats[]>
  tidy(instance: string, profile: Readonly<Profile>): Promise<void>
  remove(instance: string): Promise<void>
}

/** Number of items that are applied between two turns of the event loop. */
const APPLIED = 50

export function createStore(db: Db, log: Logger): Store {
  const now = () => Date.now()

  /** The state of a feature, after the restore requested in the settings. */
  async function ready(trx: Db, instance: string, profile: Readonly<Profile>, feature: Tracked): Promise<StoredState> {
    const wanted = profile[`restore_${feature}`]
    const space = await spaceOf(trx, instance, now())
    const state = await ensureState(trx, space, feature, wanted)
    if (state.restored === wanted) return state
    await setState(trx, state, { restored: wanted })
    if (wanted === '') return { ...state, restored: wanted }
    try {
      await restoreSnapshot(trx, state, wanted, profile, now())
      log.info({ instance, feature, snapshot: wanted }, 'a snapshot was restored')
    } catch (error) {
      if (!isPlayheadError(error, 'PLH_NOT_FOUND')) throw error
      log.warn(
        { instance, feature, snapshot: wanted },
        'the snapshot named in the settings does not exist; nothing was restored',
      )
    }
    return ensureState(trx, space, feature, wanted)
  }

  async function apply(
    trx: Db,
    instance: string,
    profile: Readonly<Profile>,
    request: WriteRequest,
  ): Promise<WriteResult> {
    const feature = trackedOf(request.feature)
    const state = await ready(trx, instance, profile, feature)
    const items = request.items.map(({ item }) => item)
    const stored = await findRows(trx, state.space, feature, {
      tokens: [...new Set(items.flatMap((item) => tokensOf(item)))],
      keys: items.flatMap(({ native }) => [native?.item_id, native?.event_id].filter((key) => key !== undefined)),
      groups: feature === 'history' ? items.flatMap(({ native }) => native?.item_id ?? []) : [],
    })
    const rows = createWorkingSet()
    // A title may have thousands of plays, and requests are answered in between.
    for (const part of chunked(stored)) {
      rows.load(part)
      await yieldToLoop()
    }
    const context = {
      feature,
      op: request.op,
      plays: request.plays === true,
      rows,
      newKey: () => crypto.randomUUID().replaceAll('-', ''),
    }
    const outcomes: WriteOutcome[] = []
    for (const { key, item } of request.items) {
      outcomes.push({ key, ...applyItem(context, item) })
      if (outcomes.length % APPLIED === 0) await yieldToLoop()
    }
    const changes = rows.changes()
    if (changes.closed.length > 0 || changes.added.length > 0) {
      const change = await nextChange(trx, state, profile, now())
      await writeRows(trx, state.space, feature, change, now(), changes)
    }
    return { outcomes }
  }

  async function playsOf(trx: Db, state: StoredState, { item, fromMs, toMs }: PlaysRequest): Promise<readonly Item[]> {
    const rows = await findRows(trx, state.space, 'history', { tokens: tokensOf(item), keys: [], groups: [] })
    const plays = rows.map((row) => shownItem('history', row))
    // Ids that contradict a row are rejected, so a play of the item is never stored under other ids.
    return sortPlays(plays, { item, fromMs, toMs }).found
  }

  async function finish(trx: Db, instance: string, profile: Readonly<Profile>, play: Item, tooNearMs: number) {
    const atMs = parseTime(play.watched_at)?.atMs ?? now()
    const span = { fromMs: atMs - tooNearMs, toMs: atMs + tooNearMs }
    const [known] = await playsOf(trx, await ready(trx, instance, profile, 'history'), { item: play, ...span })
    const items = [{ key: 'play', item: play }]
    const outcome: ItemOutcome =
      known === undefined
        ? ((await apply(trx, instance, profile, { feature: 'history', op: 'add', plays: true, items })).outcomes[0] ??
          NOT_SENT)
        : { outcome: 'already' }
    if (outcome.outcome !== 'applied' && outcome.outcome !== 'already') return { outcome }
    await apply(trx, instance, profile, { feature: 'progress', op: 'remove', items })
    return { outcome, play: known ?? { ...play, ...defined({ native: outcome.native }) } }
  }

  /** The whole transaction was rolled back. */
  function unwritable(error: unknown, instance: string, feature: string): ItemOutcome {
    if (isPlayheadError(error) && error.wire !== 'state_unreadable') throw error
    log.error({ instance, feature, err: error }, 'the tracker could not write')
    return { outcome: 'failed', reason: isPlayheadError(error) ? error.wire : 'state_unwritable' }
  }

  return {
    ...createListStore({ db, now, readable, unwritable, ready }),

    account: (instance) => readable(async () => accountOf(await spaceOf(db, instance, now()))),

    async *read(instance, profile, request, signal) {
      const feature = trackedOf(request.feature)
      const state = await readable(() => db.transaction().execute((trx) => ready(trx, instance, profile, feature)))
      const parts = readRows(db, state, request, signal)
      for (;;) {
        const { done, value } = await readable(() => parts.next())
        if (done === true) return
        yield value
      }
    },

    async write(instance, profile, request) {
      try {
        return await db.transaction().execute((trx) => apply(trx, instance, profile, request))
      } catch (error) {
        const outcome = unwritable(error, instance, request.feature)
        return { outcomes: request.items.map(({ key }) => ({ key, ...outcome })) }
      }
    },

    async finish(instance, profile, play, tooNearMs) {
      try {
        return await db.transaction().execute((trx) => finish(trx, instance, profile, play, tooNearMs))
      } catch (error) {
        return { outcome: unwritable(error, instance, 'history') }
      }
    },

    plays: (instance, profile, request) =>
      readable(() =>
        db.transaction().execute(async (trx) => playsOf(trx, await ready(trx, instance, profile, 'history'), request)),
      ),

    snapshots: (instance, feature) =>
      readable(async () => {
        const space = await knownSpaceOf(db, instance)
        const found = space === undefined ? [] : await listSnapshots(db, space, feature)
        return found.map(({ name, at_ms: atMs }) => ({ name, atMs: Number(atMs) }))
      }),

    restore: (instance, profile, feature, name) =>
      readable(() =>
        db
          .transaction()
          .execute(async (trx) =>
            restoreSnapshot(trx, await ready(trx, instance, profile, feature), name, profile, now()),
          ),
      ),

    stats: (instance) =>
      readable(async () => {
        const space = await knownSpaceOf(db, instance)
        const count = async (table: string, feature: Tracked) => {
          if (space === undefined) return 0
          const query = db
            .selectFrom(table)
            .select((eb) => eb.fn.countAll().as('rows'))
            .where('space', '=', space)
            .where('feature', '=', feature)
          const found = await (table === ROWS ? query.where(isCurrent) : query).executeTakeFirst()
          return Number(found?.['rows'] ?? 0)
        }
        return Promise.all(
          TRACKED.map(async (feature) => ({
            feature,
            rows: await count(ROWS, feature),
            snapshots: await count(SNAPSHOTS, feature),
          })),
        )
      }),

    async tidy(instance, profile) {
      const found = await db.selectFrom(SPACES).select('space').where('instance', '=', instance).executeTakeFirst()
      if (found === undefined) return
      for (const feature of TRACKED) await tidy(db, String(found['space']), feature, profile, now())
    },

    remove: (instance) => removeSpace(db, instance),
  }
}

function trackedOf(feature: string): Tracked {
  if (isTracked(feature)) return feature
  throw new PlayheadError('PLH_UNSUPPORTED', `The tracker does not keep ${feature}.`, { details: { feature } })
}

async function readable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw isPlayheadError(error) ? error : unreadable(error)
  }
}
