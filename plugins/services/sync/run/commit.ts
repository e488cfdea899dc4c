// Commits a run of one feature: base, tombstones, unresolved rows and state change together, and only where they
// differ.
import { defined, type Side } from '@playhead/sdk'
import { writeOutcomes } from '@playhead/sdk/provider'
import type { Counts } from '../contract.ts'
import { type BaseState, nextBaseId, slotOf } from '../store/base.ts'
import { forgetBase } from '../store/purge.ts'
import { parseOrigin } from '../store/origin-of.ts'
import { originsOf } from '../store/plans.ts'
import { openStage } from '../store/stage.ts'
import type { PairFeatureState } from '../store/state.ts'
import {
  accountKeys,
  concerns,
  hasTombstones,
  type NewTombstone,
  namedPlay,
  playMarkOf,
  type Tombstone,
  type TombstoneName,
  tombstonePages,
  tombstoneTokens,
} from '../store/tombstones.ts'
import { notifyOutcome } from './apply.ts'
import { countOwned } from '../library/read-side.ts'
import { learn } from '../library/unreadable.ts'
import { isSyncedState } from '../library/base-flags.ts'
import { isGone, isSettled as isSettledOp, nextState, seenOnBoth } from './next-state.ts'
import { recordedChange, stageRecorded } from './recorded-plays.ts'
import { collectUnresolved, type OriginOf } from './unresolved.ts'
import { isApproved } from '../plan/approval.ts'
import { type PlanOp, type Planned, tallyOf } from '../plan/planned.ts'
import { viewsOf } from '../plan/planning.ts'
import { isEnded, tombstoneNames, tombstonesAfter } from '../plan/readded.ts'
import { bySide, SIDES } from '../feature-run.ts'
import type { GroupView } from '../plan/view.ts'
import { chunksOf } from '../store/steps.ts'
import { rowKey } from '@playhead/sdk/items'
import { rowIn } from '../library/groups.ts'
import { createAccountFacts } from '../plan/account-facts.ts'

interface CommitInput {
  readonly planned: Planned
  readonly scope: string
  readonly variant: string
  readonly cancelled: boolean
}

const CHUNK = 400

export interface Committed {
  /** Rows that are currently unresolved. */
  readonly unresolved: number
  /** How many of these rows the target lacks. */
  readonly notInLibrary: number
  readonly counts: Counts
  /** No state of a row changed, and no write waits for a read that shows it. */
  readonly isStill: boolean
  /** Groups whose rows on both sides were seen and agree. */
  readonly settled: number
}

export async function commit(input: CommitInput): Promise<Committed> {
  const { planned, cancelled } = input
  const { run, groups, reads } = planned
  const { db } = run.engine
  // An interrupted reset may have left rows behind.
  if (run.state === null) await forgetBase(db, run.pair.id, run.feature)
  const of = { pair: run.pair.id, feature: run.feature }
  const name = `${run.order.runId} ${of.pair} ${of.feature}`
  const stage = openStage(db, name, run.engine.now(), run.engine.checkpoint)
  const unresolved = collectUnresolved(planned, stage)
  const advances = bySide((side) => reads[side].complete)
  let id = await nextBaseId(db)
  let unresolvedCount = 0
  let settled = groups.count - groups.changedGroups.length
  let waits = false

  for (const indexes of chunksOf(groups.changedGroups, CHUNK)) {
    const views = await viewsOf(planned, indexes)
    const originOf = await findOrigins(planned, indexes)
    for (const [offset, view] of views.entries()) {
      const index = indexes[offset]!
      const ops = planned.opsOf(index)
      await stageBase(index, view, ops)
      for (const op of ops) {
        const recorded = isSettledOp(op) ? recordedChange(run, planned, op) : undefined
        if (recorded !== undefined) await stageRecorded(stage, recorded, run.engine.now())
        if (op.op === 'remove' && isSettledOp(op))
          for (const row of tombstonesAfter(run, reads, op, view)) await stage.add({ t: 'tomb', row })
        // Without the add, the next run has to know that the item is wanted again.
        for (const each of op.readded === true && isSettledOp(op) ? tombstoneNames(run, reads, op.side, view) : [])
          await stage.add({ t: 'tomb-', ...each, upToMs: run.engine.now() })
        notifyOutcome(run, op, view.item, view.group[op.side]?.value ?? null, parseOrigin(originOf(op)))
      }
      for (const row of tombstonesOfUnsure(view)) await stage.add({ t: 'tomb', row })
      unresolvedCount += await unresolved.collect(index, view, ops, originOf)
    }
    await run.listener.flush?.()
  }
  for (const index of groups.confirmedWrites) {
    // The ids did not change, so only the state of the base row is written.
    const known = groups.base.ids[groups.baseOf(index)]!
    await stage.add({ t: 'seen', id: known, state: JSON.stringify(seenOnBoth(planned, index)) })
  }
  for (const side of SIDES)
    for (const name of await endedTombstones(planned, side))
      await stage.add({ t: 'tomb-', ...name, upToMs: reads[side].atMs })
  const notInLibrary = unresolved.notInLibrary()
  await unresolved.finish(cancelled)
  const isStill = stage.size === 0 && !waits
  await stage.add({ t: 'state', ...of, run: run.order.runId, state: JSON.stringify(stateAfter(input)) })
  if (planned.header !== null) await stage.add({ t: 'plan', id: planned.header.id, state: 'done' })
  await stage.commit()
  return { unresolved: unresolvedCount, notInLibrary, counts: countOps(planned.ops), isStill, settled }

  async function stageBase(index: number, view: GroupView, ops: readonly PlanOp[]): Promise<void> {
    const state = nextState({ planned, index, view, ops, advances })
    const next = state === null || view.joined === undefined ? state : { ...state, j: view.joined }
    const { base } = view
    waits ||= next?.pa !== undefined || next?.pb !== undefined
    if (next !== null && isSettled(index, view, ops, next)) settled += 1
    const further = groups.moreBases(index).map((each) => groups.base.ids[each]!)
    // An ambiguous group keeps all of its base rows.
    if (view.ambiguous && further.length > 0) return
    if (next === null) {
      if (base !== null) await stage.add({ t: 'base-', id: base.id })
    } else {
      const item = JSON.stringify(view.ambiguous && base !== null ? base.item : view.stored)
      const text = JSON.stringify(next)
      const same =
        base !== null &&
        !view.restated &&
        further.length === 0 &&
        text === JSON.stringify(base.state) &&
        item === JSON.stringify(base.item)
      const key = base?.key ?? view.group.key
      if (!same) await stage.add({ t: 'base', id: base?.id ?? id++, ...of, key, item, state: text })
    }
    for (const gone of further) await stage.add({ t: 'base-', id: gone })
  }

  function isSettled(index: number, view: GroupView, ops: readonly PlanOp[], next: BaseState): boolean {
    const wasSeen = (side: Side) =>
      next[side]?.h !== undefined &&
      (ops.some((op) => op.side === side)
        ? ops.every((op) => op.side !== side || op.seen === next[side]!.v)
        : view.group[side] !== null)
    return (
      isSyncedState(next) &&
      next.a!.v === next.b!.v &&
      SIDES.every((side) => wasSeen(side) && !groups.isUnclear(index, side)) &&
      !view.ambiguous &&
      groups.moreBases(index).length === 0 &&
      groups.moreRows(index).length === 0
    )
  }

  /** A removal that an interruption left open, and that a whole read confirms. */
  function tombstonesOfUnsure(view: GroupView): readonly NewTombstone[] {
    const { group, base } = view
    if (group.a !== null || group.b !== null) return []
    return SIDES.flatMap((side) => {
      const pending = base?.state[slotOf(side)]
      return pending?.o === 'remove' && pending.u === 1 && isGone({ view, planned }, side)
        ? tombstonesAfter(run, reads, { side }, view).map((row) => ({ ...row, removed_at: pending.t }))
        : []
    })
  }
}

/** Origins of the operations that did not succeed. The others were reported with theirs. */
async function findOrigins(planned: Planned, indexes: readonly number[]): Promise<OriginOf> {
  const { header, origins, run } = planned
  const stored = indexes.flatMap((index) =>
    planned.opsOf(index).flatMap((op) => (op.n >= 0 && !origins.has(op) && !isSettledOp(op) ? op.n : [])),
  )
  const found = header === null || stored.length === 0 ? undefined : await originsOf(run.engine.db, header.id, stored)
  return (op) => origins.get(op) ?? found?.get(op.n)
}

/** The state of the pair and feature after a run. */
export function stateAfter({ planned, scope, variant, cancelled }: CommitInput): PairFeatureState {
  const { run, reads } = planned
  const { state: old } = run
  const known = bySide((side) =>
    learn({ read: reads[side], known: old?.known?.[side] ?? [], nothingMissing: isNothingMissing(planned, side) }),
  )
  return {
    variant,
    scope: cancelled && old !== null ? old.scope : scope,
    uid: bySide((side) => run.sides[side].uid),
    account: bySide((side) => reads[side].account),
    fingerprint: bySide((side) =>
      cancelled && old !== null ? old.fingerprint[side] : run.sides[side].account.fingerprint,
    ),
    readAtMs: bySide((side) => (reads[side].complete ? reads[side].atMs : (old?.readAtMs[side] ?? null))),
    suspect: bySide((side) => (planned.checks[side].shrunk ? (old?.suspect[side] ?? 0) + 1 : 0)),
    suspectAtMs: bySide((side) =>
      planned.checks[side].shrunk ? (old?.suspectAtMs?.[side] ?? reads[side].atMs) : null,
    ),
    ...defined({
      coverage: cancelled && old !== null ? old.coverage : bySide((side) => planned.checks[side].coverage),
    }),
    sizes: bySide((side) => (reads[side].complete ? countOwned(reads[side].rows) : (old?.sizes?.[side] ?? null))),
    caps: bySide((side) => planned.checks[side].cap),
    ...(known.a.length + known.b.length === 0 ? {} : { known }),
    ...(SIDES.some((side) => planned.unproven[side]) ? { unproven: planned.unproven } : {}),
    ...defined({ mapping: run.mapping?.revision, mirror: run.mirror }),
    armed: (reads.a.complete && reads.b.complete) || old?.armed === true,
    ...defined({ startedAtMs: old === null ? run.order.startedAtMs : old.startedAtMs }),
    runs: planned.runNumber,
    lastRunStartedAtMs: run.order.startedAtMs,
    lastRunAtMs: run.engine.now(),
  }
}

/** No seen row of the side is missing, or a person approved the resulting removals. */
function isNothingMissing({ run, groups, ops }: Planned, side: Side): boolean {
  const missing = groups.missing[side]
  if (missing === 0 || run.approved.size === 0) return missing === 0
  const approved = ops.filter((op) => (op.op === 'remove') === (op.side !== side) && isApproved(run, op))
  return approved.length >= missing
}

export function countOps(ops: readonly PlanOp[]): Counts {
  const tally = tallyOf(ops)
  const is = (state: PlanOp['state']) => tally('both', 'any', state)
  let planned = 0
  for (const { state, reason } of ops)
    if (state !== 'filtered' && reason !== 'quarantined' && reason !== 'backoff') planned += 1
  return {
    planned,
    applied: is('applied'),
    already: is('already'),
    held: is('held'),
    deferred: is('deferred'),
    errors: writeOutcomes('failed', 'unknown').reduce((sum, state) => sum + is(state), 0),
    added: tally('both', 'add', 'applied'),
    updated: tally('both', 'update', 'applied'),
    removed: tally('both', 'remove', 'applied'),
  }
}

/**
 * Tombstones that a person ended: the account has the row again.
 * A row that was read before its removal, or from a cache, ends nothing: the account must have lacked it since, or have a time
 * that is later than the removal.
 */
async function endedTombstones(
  { run, groups, reads }: Pick<Planned, 'run' | 'groups' | 'reads'>,
  of: Side,
): Promise<readonly TombstoneName[]> {
  const { db } = run.engine
  const [side, read] = [run.sides[of], reads[of]]
  const accounts = accountKeys(side, read.account)
  if (!read.complete || !(await hasTombstones(db, accounts, run.feature))) return []
  const byToken = new Map<string, Tombstone[]>()
  for await (const page of tombstonePages(db, accounts, run.feature))
    for (const one of page)
      if (one.removedAtMs <= read.atMs) byToken.set(one.token, [...(byToken.get(one.token) ?? []), one])
  const met: { readonly index: number; readonly key: string; readonly tombstones: readonly Tombstone[] }[] = []
  const { rows } = read
  for (const group of groups.changedGroups) {
    const index = rowIn(groups, of, group)
    if (index < 0 || index >= rows.size || rows.skip(index) !== undefined) continue
    const item = rows.item(index)
    const tombstones = tombstoneTokens(item).flatMap((token) => byToken.get(token) ?? [])
    if (tombstones.length > 0) met.push({ index, key: rowKey(item, run.plays), tombstones })
  }
  if (met.length === 0) return []
  const lacked = await createAccountFacts(run, reads).lackedAtMs(
    of,
    met.map(({ index }) => rows.item(index)),
  )
  return met.flatMap(({ index, key, tombstones }) => {
    const item = rows.item(index)
    const play = namedPlay(playMarkOf(rowKey(item, true)), item)
    return tombstones
      .filter((tombstone) => concerns(tombstone, play) && isEnded(tombstone, rows.evidence(index), lacked.get(key)))
      .map(({ account, token, play }) => ({ account, feature: run.feature, token, play }))
  })
}
