// Deciding: every group is put before its feature, what that wants is put before the filters and the guard, and what is left becomes a
// stored plan.
import { keyOf, type Operation, PlayheadError, sharesScheme, type Side, titleTokenOf } from '@playhead/sdk'
import { type BaseRow, baseRows } from '../store/base.ts'
import { insertPlan, insertPlanItems, type NewPlanItem, type PlanHeader, type PlanItemState, planItems } from '../store/plans.ts'
import { isMirrorApproved } from '../store/state.ts'
import { findTombstones, hasTombstones, type Tombstone, tombstoneTokens } from '../store/tombstones.ts'
import { type OpenRow, readOpen } from '../store/unresolved.ts'
import { type FilterInput, mayBeSame, objection, playMark } from './filters.ts'
import { holdRemovals } from './guard.ts'
import { createPace } from './pace.ts'
import { forAccount } from './rows.ts'
import { other, reachOf, SIDES } from './types.ts'
import { type GroupView, type ViewInput, viewOf } from './view.ts'

/** One operation, as far as it is held in memory; the rest of it is in the stored plan. */
export interface PlanOp {
  readonly group: number
  readonly side: Side
  readonly op: 'add' | 'update' | 'remove'
  readonly key: string
  readonly value: string
  readonly cause: string
  readonly evidenceMs: number | undefined
  /** Place in the stored plan; -1 for what is not stored. */
  n: number
  state: PlanItemState
  reason: string | null
  open: boolean
  /** What the side has after the write, when it was read again: the value, or `null` for nothing; undefined when nobody looked. */
  seen: string | null | undefined
  told: boolean
}

export type GroupState = 'linked' | 'diverged' | 'none' | 'ambiguous'

export interface Planned extends ViewInput {
  readonly header: PlanHeader | null
  readonly ops: readonly PlanOp[]
  opsOf(group: number): readonly PlanOp[]
  stateOf(group: number): GroupState
  /** Items that are shown although nothing is to be written. */
  readonly notes: readonly { readonly group: number; readonly reason: string }[]
  readonly open: ReadonlyMap<string, OpenRow>
  readonly runNumber: number
}

const CHUNK = 250

export async function makePlan(input: ViewInput, planId: string): Promise<Planned> {
  const { run, groups } = input
  const { engine: { db } } = run
  const pace = createPace()
  const open = await readOpen(db, run.pair.id, run.feature)
  const runNumber = (run.state?.runs ?? 0) + 1
  const mirrorApproved = run.order.request.confirm_mirror === true || await isMirrorApproved(db, run.pair.id)
  const filters = { ...await filterInput(input), open, runNumber, mirrorApproved, namesakes: namesakesIn(input) }
  const rules = rulesOf(input, mirrorApproved)
  const states = new Uint8Array(groups.count)
  const ops: PlanOp[] = []
  const first = new Int32Array(groups.count).fill(-1)
  const notes: { group: number; reason: string }[] = []
  let n = 0
  let waiting: NewPlanItem[] = []

  for (let start = 0; start < groups.count; start += CHUNK) {
    const end = Math.min(start + CHUNK, groups.count)
    const views = await viewsOf(input, start, end)
    const decisions = await run.policy.decide(views.map(({ group }) => group), rules)
    if (decisions.length !== views.length) throw new PlayheadError('PLH_UPSTREAM_INVALID', `The feature ${run.feature} decided about other groups than it was asked.`)
    const buried = await buriedIn(input, views)
    for (const [offset, view] of views.entries()) {
      const group = start + offset
      const { ops: wanted, state, reason, report } = decisions[offset]!
      states[group] = STATES.indexOf(view.ambiguous ? 'ambiguous' : state)
      if (view.ambiguous) notes.push({ group, reason: 'ambiguous_identity' })
      else if (report === true && reason !== undefined) notes.push({ group, reason })
      else if (isUntimed(input, group, view)) notes.push({ group, reason: 'missing_watched_at' })
      else if (state === 'diverged') notes.push({ group, reason: reason ?? 'diverged' })
      for (const op of wanted) {
        if (first[group] === -1) first[group] = ops.length
        const verdict = objection(op, view, { ...filters, tombstones: buried } satisfies FilterInput)
        const planned: PlanOp = {
          group, side: op.side, op: op.op, key: view.group.key, value: op.value, cause: op.cause, evidenceMs: op.evidenceMs, n: -1,
          state: verdict?.state ?? 'ready', reason: verdict?.reason ?? null, open: verdict?.open === true, seen: undefined, told: false,
        }
        ops.push(planned)
        // Removals wait for the guard, which counts them all.
        if (op.op === 'remove' || planned.state === 'filtered') continue
        planned.n = n++
        waiting.push(planItem(run, planned, op, view))
      }
    }
    if (waiting.length >= CHUNK) {
      await insertPlanItems(db, planId, waiting)
      waiting = []
    }
    if (pace.due()) await pace.rest()
  }
  const held = holdRemovals(input, ops)
  const removals = ops.filter((op) => op.op === 'remove' && op.state !== 'filtered')
  for (let start = 0; start < removals.length; start += CHUNK) {
    const chunk = removals.slice(start, start + CHUNK)
    const views = new Map((await viewsOfGroups(input, chunk.map(({ group }) => group))).map((view, index) => [chunk[index]!.group, view]))
    for (const op of chunk) {
      op.n = n++
      const view = views.get(op.group)!
      waiting.push(planItem(run, op, { side: op.side, op: 'remove', value: '', cause: op.cause }, view))
    }
    await insertPlanItems(db, planId, waiting)
    waiting = []
    if (pace.due()) await pace.rest()
  }
  await insertPlanItems(db, planId, waiting)
  const planned = ops.some(({ state }) => state === 'ready' || state === 'held')
  const header = planned ? headerOf(input, planId, ops, held) : null
  if (header !== null) await insertPlan(db, header)
  else if (n > 0) await db.deleteFrom('sync__plan_item').where('plan_id', '=', planId).execute()
  return {
    ...input, header, ops, notes, open, runNumber, stateOf: (group) => STATES[states[group]!]!,
    opsOf(group) {
      const at = first[group]!
      if (at === -1) return []
      let last = at
      while (last < ops.length && ops[last]!.group === group) last += 1
      return ops.slice(at, last)
    },
  }
}

/** The views of a span of groups, with their base rows. */
export async function viewsOf(input: ViewInput, start: number, end: number): Promise<GroupView[]> {
  return viewsOfGroups(input, Array.from({ length: end - start }, (_, index) => start + index))
}

async function viewsOfGroups(input: ViewInput, indexes: readonly number[]): Promise<GroupView[]> {
  const { groups, run } = input
  const ids = indexes.flatMap((group) => groups.baseOf(group) < 0 ? [] : [groups.baseOf(group), ...groups.moreBases(group)].map((each) => groups.base.ids[each]!))
  const bases: ReadonlyMap<number, BaseRow> = ids.length === 0 ? new Map() : await baseRows(run.engine.db, ids)
  return indexes.map((group) => viewOf(input, group, bases))
}

/** A watched item that only one side has, without a time: it cannot be written anywhere. */
function isUntimed({ groups, reads }: ViewInput, index: number, { group }: GroupView): boolean {
  return SIDES.some((side) => {
    const at = side === 'a' ? groups.aOf(index) : groups.bOf(index)
    return at >= 0 && reads[side].rows.skip(at) === 'missing_watched_at' && group[other(side)] === null
  })
}

const STATES: readonly GroupState[] = ['linked', 'diverged', 'none', 'ambiguous']

function rulesOf({ run, trust }: ViewInput, mirrorApproved: boolean) {
  const { settings } = run.order
  const removeMode = run.options['remove_mode'] === 'mirror' || run.options['remove_mode'] === 'source_deletes' ? run.options['remove_mode'] : settings.one_way_remove_mode
  const truth = String(run.options['source_of_truth'] ?? settings.bidirectional.source_of_truth).toUpperCase()
  const sourceOfTruth: Side = truth === 'B' || (truth === run.pair.target.toUpperCase() && run.pair.target !== run.pair.source) ? 'b' : 'a'
  return {
    mode: run.pair.mode, options: run.options, removeMode, mirrorApproved, restoreDeleted: run.options['restore_deleted'] === true, sourceOfTruth,
    firstRun: run.state === null, lastRunStartedAtMs: run.state?.lastRunStartedAtMs ?? null, nowMs: run.nowMs, mayProveAbsence: trust.mayProve,
    support: { a: run.sides.a.support, b: run.sides.b.support },
  } as const
}

async function filterInput(input: ViewInput): Promise<Pick<FilterInput, 'run' | 'trust' | 'blocks' | 'reviewed'>> {
  const { run, trust } = input
  const blocks = { a: new Set<string>(), b: new Set<string>() }
  if (run.engine.blocks !== undefined) {
    for (const side of SIDES) {
      const { provider, instance } = run.sides[side]
      for (const name of await run.engine.blocks(provider, instance, run.feature)) blocks[side].add(name)
    }
  }
  return { run, trust, blocks, reviewed: await reviewedOps(input) }
}

async function reviewedOps({ run }: ViewInput): Promise<ReadonlyMap<string, string> | null> {
  const id = run.order.request.plan_id
  if (id === undefined) return null
  const reviewed = new Map<string, string>()
  for (let offset = 0; ; offset += 1000) {
    const { items } = await planItems(run.engine.db, id, { offset, limit: 1000 })
    for (const item of items) if (item.state !== 'deferred' && item.state !== 'filtered') reviewed.set(`${item.side} ${item.op} ${item.key}`, item.value)
    if (items.length < 1000) return reviewed
  }
}

const NONE: ReadonlyMap<string, Tombstone> = new Map()

async function buriedIn({ run }: ViewInput, views: readonly GroupView[]): Promise<FilterInput['tombstones']> {
  const since = run.nowMs - run.order.settings.tombstone_ttl_days * 86_400_000
  const found: Record<Side, ReadonlyMap<string, Tombstone>> = { a: NONE, b: NONE }
  for (const side of SIDES) {
    if (!await hasTombstones(run.engine.db, run.sides[side].uid, run.feature)) continue
    const tokens = views.filter(({ group }) => group[side] === null && group[other(side)] !== null)
      .flatMap((view) => tombstoneTokens(view.item, run.plays ? playMark(view) : ''))
    if (tokens.length > 0) found[side] = await findTombstones(run.engine.db, run.sides[side].uid, run.feature, tokens, since)
  }
  return found
}

function namesakesIn({ groups, reads, run }: ViewInput): FilterInput['namesakes'] {
  const within = reachOf(run)
  return (side, view) => {
    const item = view.group[other(side)]?.item ?? view.item
    const token = titleTokenOf(item)
    if (token === undefined) return false
    const rows = groups.titled(side, token).map((index) => reads[side].rows.item(index))
    return mayBeSame(view, rows, (x, y) => sharesScheme(x, y, { within }))
  }
}

function planItem(run: ViewInput['run'], planned: PlanOp, op: Operation, view: GroupView): NewPlanItem {
  const current = view.group[planned.side]
  const sameProvider = run.pair.source === run.pair.target
  const wanted = op.item === undefined ? undefined : { ...op.item, ...idsOf(view) }
  const item = planned.op === 'remove' ? current!.item : forAccount(wanted ?? view.item, { sameProvider, ...(current === null ? {} : { current: current.item }) })
  return {
    n: planned.n, side: planned.side, op: planned.op, key: planned.key, value: planned.value, cause: op.cause, state: planned.state, reason: planned.reason,
    item: JSON.stringify(item), current: current === null ? null : JSON.stringify(current.item), before: current?.value ?? null,
  }
}

/** All ids that are known of the item: the more the better it is found. */
function idsOf({ item }: GroupView) {
  return keyOf(item).ok ? { ids: item.ids, ...(item.show_ids === undefined ? {} : { show_ids: item.show_ids }) } : {}
}

function headerOf({ run, reads }: ViewInput, id: string, ops: readonly PlanOp[], held: ReturnType<typeof holdRemovals>): PlanHeader {
  const side = (name: Side) => {
    const { provider, instance, uid } = run.sides[name]
    const own = ops.filter((op) => op.side === name)
    const count = (op: PlanOp['op']) => own.filter((each) => each.op === op && each.state === 'ready').length
    const inState = (state: PlanItemState) => own.filter((each) => each.state === state).length
    return {
      provider, instance, uid, add: count('add'), update: count('update'), remove: count('remove'), held: inState('held'),
      held_reason: held[name]?.reason ?? null, deferred: inState('deferred'), filtered: inState('filtered'),
    }
  }
  return {
    id, run_id: run.order.runId, pair_id: run.pair.id, feature: run.feature, mode: run.pair.mode, plays: run.plays, dry_run: run.dryRun,
    created_at_ms: run.engine.now(), state: 'planned', sides: { a: side('a'), b: side('b') }, read: { a: reads.a.rows.size, b: reads.b.rows.size },
  }
}
