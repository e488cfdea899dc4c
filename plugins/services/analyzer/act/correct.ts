// Local corrections of a row. A row of the tracker is changed through a plan. For any other account the correction is a manual
// add that sets the item and further ids of the row. No other service is written.
import {
  type AccountChange,
  type AccountName,
  ACTIONS,
  type AnalyzedFeature,
  createTurns,
  LIBRARY,
  MANUAL_POLICY,
  PlayheadError,
  type PlanUndo,
  type PluginContext,
  SYNC,
  undoPlan,
} from '@playhead/sdk'
import { compareItems, type Item, itemKey } from '@playhead/sdk/items'
import { ITEM_VALUES } from '@playhead/sdk/sync'
import { notFound } from '../not-found.ts'
import { accountText } from '../pass/wire.ts'
import { rekeyed, replacedIds } from './ids.ts'
import type { ChangeRecord, ChangeStore } from './store.ts'

export interface Target extends AccountName {
  readonly feature: AnalyzedFeature
  readonly key: string
}

interface Correction {
  readonly change: ChangeRecord | null
  readonly newKey: string
  /** A row that already has the key; the old key is kept then. */
  readonly conflictKey: string | null
}

interface UndoneChange extends PlanUndo {
  readonly change_id: string
}

/** Playhead's own tracker. */
const TRACKER = 'SVC'
const WAIT_MS = 10_000

export type Corrections = ReturnType<typeof createCorrections>

export function createCorrections(ctx: PluginContext, changes: ChangeStore) {
  const actions = ctx.use(ACTIONS)
  const library = ctx.use(LIBRARY)
  const policy = ctx.use(MANUAL_POLICY)
  const sync = ctx.use(SYNC)
  // Two concurrent corrections would each replace the known row and leave two.
  const inTurn = createTurns()

  /** Throws `PLH_CONFLICT` (`sync_running`) while a run uses the account's pairs. */
  async function assertIdle({ provider, instance, feature }: Target): Promise<void> {
    const active = await sync.active()
    if (active === null) return
    const touched = (await sync.pairs()).some(
      (pair) =>
        active.pair_ids.includes(pair.id) &&
        pair.features?.includes(feature) === true &&
        ((pair.source === provider && pair.source_instance === instance) ||
          (pair.target === provider && pair.target_instance === instance)),
    )
    if (touched)
      throw new PlayheadError('PLH_CONFLICT', 'A run is using this account. Try again when it has ended.', {
        wire: 'sync_running',
      })
  }

  async function rowOf({ provider, instance, feature, key }: Target): Promise<Item> {
    const [found] = await library.items(provider, instance, feature, [key])
    if (found === undefined) throw notFound('item_not_found', 'The account does not have this item.')
    return found.item
  }

  /** A run or another person may have changed the row. */
  async function assertUnchanged(
    { provider, instance, feature }: Target,
    key: string,
    expected: Item | undefined,
  ): Promise<void> {
    if (expected === undefined) return
    const [row] = await library.items(provider, instance, feature, [key])
    if (row !== undefined && JSON.stringify(row.item) === JSON.stringify(expected)) return
    throw new PlayheadError('PLH_CONFLICT', 'The item has changed meanwhile. Check it again.', {
      wire: 'changed_since',
    })
  }

  async function record(one: Parameters<ChangeStore['add']>[0]): Promise<ChangeRecord> {
    const stored = await changes.add(one)
    announce(stored, stored.operation)
    return stored
  }

  function announce(
    stored: ChangeRecord,
    operation: ChangeRecord['operation'] | 'undo',
    more: Readonly<Record<string, unknown>> = {},
  ): void {
    const { provider, instance, feature, key, change_id: id } = stored
    const what = operation === 'undo' ? 'a correction was undone' : 'a row was corrected'
    ctx.log.channel('ANALYZER').info({ provider, instance, feature, key, operation, change: id, ...more }, what)
    // The event archive records this event.
    ctx.events.emit('analyzer.changed', {
      change_id: id,
      provider,
      instance,
      feature,
      key,
      title: (stored.before ?? stored.after)?.title ?? null,
      new_key: stored.new_key,
      by: stored.by,
      operation,
      ...more,
    })
  }

  async function undone(found: ChangeRecord, end: PlanUndo): Promise<UndoneChange> {
    const { change_id } = found
    const not = Object.keys(end.notUndone).length === 0 ? null : end.notUndone
    await changes.markUndone(change_id, { undone: end.left === 0, not_undone: not })
    announce(found, 'undo', not === null ? {} : { not_undone: not })
    return { change_id, ...end }
  }

  /** Applies the change as the record of the row states it. */
  async function applied(target: Target, planned: readonly AccountChange[]) {
    const { provider, instance, feature } = target
    const plan = await actions.plan({
      provider,
      instance,
      feature,
      ...(feature === 'history' ? { plays: true } : {}),
      changes: planned,
      cause: 'analyzer',
    })
    const left = plan.leftOut[0]
    if (left !== undefined || plan.held !== null)
      throw new PlayheadError('PLH_INVALID', `It cannot be changed: ${left?.reason ?? plan.held?.reason}.`, {
        wire: 'cannot_change',
      })
    const { outcomes } = await actions.apply(plan.planId, { approved: true, waitMs: WAIT_MS })
    const failed = outcomes.find(({ ok }) => !ok)
    if (failed !== undefined)
      throw new PlayheadError('PLH_CONFLICT', `It was not changed: ${failed.reason}.`, { wire: 'not_changed' })
    return { by: 'plan', plan_id: plan.planId, policy_before: null } as const
  }

  /** Stores the item as the corrected row. */
  async function correct(
    target: Target,
    before: Item,
    after: Item,
    operation: 'patch' | 'fix',
    rekey: boolean,
  ): Promise<Correction> {
    await assertIdle(target)
    const { provider, instance, feature, key } = target
    if (JSON.stringify(before) === JSON.stringify(after)) return { change: null, newKey: key, conflictKey: null }
    await assertUnchanged(target, key, before)
    const wanted = rekey ? (rekeyed(after, key) ?? key) : key
    const taken = wanted !== key && (await library.items(provider, instance, feature, [wanted])).length > 0
    const about = { provider, instance, feature, key, operation, before, after }
    if (provider === TRACKER) {
      const isSame = compareItems(before, after) === 'same' && feature !== 'watchlist'
      const plan = await applied(
        target,
        isSame
          ? [{ op: 'update', key, item: after, current: before }]
          : [
              { op: 'remove', key, item: before, current: before },
              { op: 'add', key: wanted, item: withoutNative(after) },
            ],
      )
      const newKey = taken ? key : wanted
      const change = await record({ ...about, new_key: newKey, ...plan })
      return { change, newKey, conflictKey: taken ? wanted : null }
    }
    const replaced = replacedIds(before, after)
    if (replaced.length > 0)
      throw new PlayheadError(
        'PLH_INVALID',
        `${accountText(target)} itself says otherwise about ${replaced.join(', ')}. Correct it there; ids that it lacks can be added here.`,
        { wire: 'contradicts_account' },
      )
    if (feature === 'ratings' || feature === 'progress')
      throw new PlayheadError(
        'PLH_INVALID',
        `A correction would hide later ${feature} of ${accountText(target)}. Correct the item there.`,
        { wire: 'cannot_correct' },
      )
    const scope = { provider, instance, feature }
    const add = forPolicy(after)
    const revision = await policy.revision(scope)
    const [known] = await policy.addsByKeys(scope, [itemKey(add)])
    await policy.change(scope, { setAdds: [add], ifRevision: revision })
    const change = await record({
      ...about,
      new_key: key,
      by: 'policy',
      plan_id: null,
      policy_before: known?.item ?? null,
    })
    return { change, newKey: key, conflictKey: null }
  }

  /** Removes the row from the stored data. Only the tracker's own rows are removed permanently. */
  async function remove(target: Target): Promise<ChangeRecord> {
    await assertIdle(target)
    const { provider, instance, feature, key } = target
    const before = await rowOf(target)
    const about = { provider, instance, feature, key, new_key: key, operation: 'delete' as const, before, after: null }
    if (provider === TRACKER)
      return record({ ...about, ...(await applied(target, [{ op: 'remove', key, item: before, current: before }])) })
    await library.forgetRows({ provider, instance }, feature, [key])
    return record({ ...about, by: 'rows', plan_id: null, policy_before: null })
  }

  /** Carries out the plan of a rule for an account, which may differ from that of the problem. */
  async function carryOut(target: Target, before: Item, planned: readonly AccountChange[]): Promise<ChangeRecord> {
    for (const change of planned) await assertUnchanged(target, change.key, change.current)
    await assertIdle(target)
    const about = { ...target, new_key: target.key, operation: 'fix' as const, before, after: planned[0]?.item ?? null }
    return record({ ...about, ...(await applied(target, planned)) })
  }

  return {
    rowOf,
    correct: (...given: Parameters<typeof correct>) => inTurn(() => correct(...given)),
    remove: (target: Target) => inTurn(() => remove(target)),
    carryOut: (...given: Parameters<typeof carryOut>) => inTurn(() => carryOut(...given)),

    /** An undo of a plan that takes longer continues; a repeated request returns its result. */
    async undo(id: string): Promise<UndoneChange> {
      const found = (await changes.list()).find((one) => one.change_id === id)
      if (found === undefined) throw notFound('change_not_found', 'This change does not exist. The last 200 are kept.')
      if (found.undone)
        throw new PlayheadError('PLH_CONFLICT', 'The change was already undone.', { wire: 'nothing_to_undo' })
      const { provider, instance, feature } = found
      if (found.by === 'plan') {
        const limit = AbortSignal.any([ctx.signal, AbortSignal.timeout(WAIT_MS)])
        const end = await undoPlan({ library, sync }, found.plan_id!, { begin: limit, end: limit }).catch(
          (error: unknown) => {
            if (!limit.aborted || ctx.signal.aborted) throw error
            throw new PlayheadError('PLH_CONFLICT', 'A run is in progress. Undo it again when the run has ended.', {
              wire: 'busy',
            })
          },
        )
        return undone(found, end)
      }
      if (found.by === 'policy') {
        const scope = { provider, instance, feature }
        const revision = await policy.revision(scope)
        const adds = found.after === null ? [] : await policy.addsByKeys(scope, [itemKey(forPolicy(found.after))])
        if (adds.length === 0)
          throw new PlayheadError('PLH_CONFLICT', 'The manual add was changed since.', { wire: 'nothing_to_undo' })
        await policy.change(scope, {
          removeAdds: adds.map((one) => one.key),
          ...(found.policy_before === null ? {} : { setAdds: [found.policy_before] }),
          ifRevision: revision,
        })
      } else
        throw new PlayheadError('PLH_INVALID', 'What the account still has is back with its next read.', {
          wire: 'nothing_to_undo',
        })
      return undone(found, { runId: null, notUndone: {}, left: 0 })
    },
  }
}

/** Identity alone: a correction of the ids must not hide the account's own values. */
function forPolicy(item: Item): Item {
  const { native: _native, library_id: _library, ...kept } = item
  for (const name of ITEM_VALUES) delete kept[name]
  return kept
}

function withoutNative({ native: _native, ...item }: Item): Item {
  return item
}
