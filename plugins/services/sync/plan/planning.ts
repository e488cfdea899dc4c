// Planning: the feature decides each group, filters and the guard check its operations, and the rest becomes a stored plan.
import {
  ahead,
  type Decision,
  defined,
  FILTER_PLAN,
  isAccepted,
  type Operation,
  type Origin,
  PLAN_READY,
  PlayheadError,
  type Side,
} from '@playhead/sdk'
import { type Item, keyOf } from '@playhead/sdk/items'
import { rowIn } from '../library/groups.ts'
import { forAccount, type SideRows } from '../library/rows.ts'
import { findMultiplePlays } from '../library/multiple-plays.ts'
import { notifySkipped } from './emit.ts'
import { type FeatureRun, other, SIDES } from '../feature-run.ts'
import { judgeRows, type PlannedRow, scopeOf, VETO_FAILED, VETOED } from './judge.ts'
import { baseRows } from '../store/base.ts'
import type { Shown } from '../run/remember-written.ts'
import { recordedChange } from '../run/recorded-plays.ts'
import { rowSeen } from '../run/next-state.ts'
import {
  dropPlan,
  insertPlan,
  insertPlanItems,
  type NewPlanItem,
  type PlanHeader,
  type PlanItemState,
} from '../store/plans.ts'
import { readIgnoredItems } from '../store/ignored.ts'
import { readUnresolved, unresolvedKey } from '../store/unresolved.ts'
import { BLOCKED, filterInput, type FilterInput, findVerdict, isStopped, rulesOf } from './filters.ts'
import { holdMany, isHidden } from './guard.ts'
import { createAccountFacts } from './account-facts.ts'
import { renamedGroups } from './renamed.ts'
import { createOrigins } from './origins.ts'
import { createOwnWrites } from '../library/own-writes.ts'
import { createAbsences } from './prove-removals.ts'
import { causeLackedAt, forgetReadded, lossOf, tombstonesAgainst } from './readded.ts'
import { byKind, type GroupState, type Note, type Planned, type PlanOp, type Tally, tallyOf } from './planned.ts'
import { type GroupView, sideOfNote, uncoveredReason, type ViewInput, viewOf } from './view.ts'
import { asDoubtful, createActs } from './whose-act.ts'
import { chunksOf } from '../store/steps.ts'

/** Groups that the feature decides at once, on the main thread: a few milliseconds there. */
const CHUNK = 400
/** Operations per insert, each of which is flushed to the disk. */
const STORED = 500
/** A view takes about three kilobytes. */
const CACHED_VIEWS = 2_000
/** Undone operations stay undone until a person changes the item. */
const UNDONE: Decision = { ops: [], state: 'diverged', reason: 'diverged', report: true }
/** Bits of a decided group. */
const STATE = 3
const UNDECIDED = 4
const WRITE_OVER = { a: 8, b: 16 } as const
const PUT_BACK = { a: 32, b: 64 } as const

export async function makePlan(given: Omit<ViewInput, 'views'>, planId: string): Promise<Planned> {
  const input: ViewInput = { ...given, views: new Map() }
  const { run, groups } = input
  const { db } = run.engine
  const unresolved = await readUnresolved(db, run.pair.id, run.feature)
  const runNumber = (run.state?.runs ?? 0) + 1
  const filters = { ...(await filterInput(input)), unresolved, runNumber }
  const rules = rulesOf(input)
  const marks = new Uint8Array(groups.count)
  const diverged = new Map<number, string>()
  const ops: PlanOp[] = []
  const first = new Int32Array(groups.count).fill(-1)
  const notes: Note[] = []
  const stored = createRows(run, planId, filters.reviewed)
  const hidden = new Set<PlanOp>()
  const updating = new Map<PlanOp, Operation & { readonly lackedAt: number | null }>()
  const absences = createAbsences(input)
  const own = createOwnWrites(run, input.reads)
  const origins = createOrigins(input, own)
  const facts = createAccountFacts(run, input.reads, own)
  const acts = createActs(input, own, origins)
  const carried = new Map<PlanOp, string>()
  const renamed = await renamedGroups(input)
  const unwatched: Record<Side, Map<number, Item>> = { a: new Map(), b: new Map() }

  async function decide(indexes: readonly number[]) {
    const seen = await origins.restore(await viewsOf(input, indexes))
    const removed = await facts.removedOf(seen)
    const views = seen.map((view) => forgetReadded(view, { run, removed }))
    const asked = views.map(({ group }) => group)
    const decisions = [...(await run.policy.decide(asked, rules))]
    if (decisions.length !== views.length)
      throw new PlayheadError(
        'PLH_UPSTREAM_INVALID',
        `The feature ${run.feature} returned the wrong number of decisions.`,
      )
    const noted = views.map((view, index) =>
      noteOf(input, indexes[index]!, view, decisions[index]!, isStopped(view, filters)),
    )
    const isNoted = (view: GroupView, index: number) =>
      noted[index] !== undefined && !isAccepted(noted[index]) && !isListed(view, 'match')
    const known = await facts.ofDecided(removed, views, decisions, isNoted)
    for (const [index, view] of views.entries())
      for (const op of decisions[index]!.ops)
        if (await acts.isOfUndo(op, view, known.removed)) {
          decisions[index] = UNDONE
          noted[index] = UNDONE.reason
        }
    return { indexes, facts: known, views, decisions, noted }
  }

  /** It is listed, and nothing changed since: the listed row keeps its origin. */
  function isListed({ group, base }: GroupView, op: PlanOp['op'] | 'match', side: Side = sideOfNote(group)): boolean {
    const known = unresolved.get(unresolvedKey({ uid: run.sides[side].uid, op, key: group.key }))
    const { s: settled, ...state } = base?.state ?? {}
    const before = (each: Side) => (settled === undefined ? (state[each]?.v ?? null) : settled[each])
    return known?.origin != null && SIDES.every((each) => (group[each]?.value ?? null) === before(each))
  }

  async function* decided() {
    for (const indexes of chunksOf(groups.changedGroups, CHUNK)) yield await decide(indexes)
  }

  // The feature decides on the main thread: the next groups while this thread plans these.
  for await (const { indexes, facts, views, decisions, noted } of ahead(decided())) {
    const rows: PlannedRow[] = []
    for (const [offset, view] of views.entries()) {
      const group = indexes[offset]!
      const { ops: wanted, state, reason, hold, over = [] } = decisions[offset]!
      absences.addGroup(view)
      const putBack = view.putBack === undefined ? 0 : PUT_BACK[view.putBack]
      const decided = STATES.indexOf(view.ambiguous ? 'ambiguous' : state) | (hold === true ? UNDECIDED : 0) | putBack
      marks[group] = [...over, ...(view.over ?? [])].reduce((mark, side) => mark | WRITE_OVER[side], decided)
      if (state === 'diverged' && reason !== undefined) diverged.set(group, reason)
      const note = noted[offset]
      if (note !== undefined) {
        const isKnown = isAccepted(note) || isListed(view, 'match')
        const origin = isKnown ? undefined : await acts.ofDifference(view, note, facts.removed)
        notes.push({ group, reason: note, ...defined({ origin: asText(origin) }) })
      }
      if (hold === true && reason !== undefined && (note === undefined || isAccepted(note)))
        notifySkipped(run, view, reason)
      for (const op of wanted) {
        if (first[group] === -1) first[group] = ops.length
        const given: FilterInput = { ...filters, ...facts, isRenamed: renamed.has(group) }
        const planned = planOp(op, group, view, given)
        ops.push(planned)
        const isAdded = op.op === 'add' && planned.state === 'ready' && planned.readded !== true
        if (isAdded && (await acts.isCopyOfLost(op.side, view, facts.removed)))
          Object.assign(planned, { state: 'filtered', reason: 'tombstone', unresolved: true })
        if (run.feature === 'history' && op.op === 'remove' && planned.state === 'ready')
          unwatched[op.side].set(ops.length - 1, view.item)
        if (op.op === 'remove') absences.addRemoval(planned, view)
        if (op.op === 'remove' && planned.state === 'ready' && isHidden(input, planned, view)) hidden.add(planned)
        // The guard counts these first, so they are stored after it.
        const lackedAt = causeLackedAt(op, view, given)
        if (op.op === 'update' && isOfBoth(view)) updating.set(planned, { ...op, lackedAt })
        const isLater = op.op === 'remove' || updating.has(planned) || isLeftOut(planned)
        // An operation that waits run after run is listed with its origin already.
        const isShown =
          (!isLeftOut(planned) && planned.state !== 'deferred') ||
          (planned.unresolved && !isListed(view, op.op, op.side))
        const act = isShown ? await acts.ofOperation(op, view, facts.removed) : undefined
        // The journal has the row's former name.
        const origin = asText(renamed.has(group) ? asDoubtful(act) : act)
        if (isLater && origin !== undefined) carried.set(planned, origin)
        if (isLater) continue
        planned.n = stored.next()
        rows.push({
          planned,
          row: { ...planItem(input, planned, op, view), lacked_at: lackedAt, ...defined({ origin }) },
        })
      }
    }
    await stored.put(rows)
  }
  for (const side of SIDES) {
    const multiple = await findMultiplePlays(run, side, unwatched[side])
    for (const place of multiple)
      Object.assign(ops[place]!, { state: 'filtered', reason: 'exact_play_unknown', unresolved: true })
  }
  const removing = ops.filter(({ op }) => op === 'remove')
  const guarded = [...removing, ...updating.keys()]
  const held = absences.prove(await holdMany(input, guarded, hidden), removing)
  const kept = guarded.filter((op) => !isLeftOut(op))
  for (const chunk of chunksOf(kept, CHUNK)) {
    const indexes = chunk.map(({ group }) => group)
    const views = await viewsOf(input, indexes)
    const rows = chunk.map((op, index) => {
      op.n = stored.next()
      const wanted =
        updating.get(op) ?? ({ side: op.side, op: 'remove', value: '', cause: op.cause, lackedAt: null } as const)
      const origin = carried.get(op)
      if (op.state !== 'ready' && origin !== undefined)
        carried.set(op, JSON.stringify(asDoubtful(JSON.parse(origin) as Origin)))
      const row = planItem(input, op, wanted, views[index]!)
      return { planned: op, row: { ...row, lacked_at: wanted.lackedAt, origin: carried.get(op) ?? null } }
    })
    await stored.put(rows)
  }
  const count = await stored.end()
  // A preview also lists manually blocked items, even if there are no others.
  const isBlocked = ({ state, reason }: PlanOp) => state === 'filtered' && reason === BLOCKED
  const isJudgedAway = ({ reason }: PlanOp) => reason === VETOED || reason === VETO_FAILED
  const planned = ops.some(
    (op) => op.state === 'ready' || op.state === 'held' || isJudgedAway(op) || (run.dryRun && isBlocked(op)),
  )
  const tally = tallyOf(ops)
  const header = planned ? headerOf(input, planId, tally, held) : null
  if (header !== null) await insertPlan(db, header)
  else if (count > 0) await dropPlan(db, planId)
  const inState = (state: PlanItemState) => tally('both', 'any', state)
  await run.engine.taps.tell(PLAN_READY, {
    ...scopeOf(run),
    planId: header?.id ?? null,
    counts: {
      ...byKind(tally, 'both', 'ready'),
      ...{ held: inState('held'), deferred: inState('deferred'), filtered: inState('filtered') },
    },
  })
  return {
    ...input,
    header,
    held,
    ops,
    notes,
    own,
    origins: carried,
    unresolved,
    ignored: await readIgnoredItems(db, run.pair.id, run.feature),
    runNumber,
    unproven: absences.unproven(removing),
    stateOf: (group) => STATES[marks[group]! & STATE]!,
    isUndecided: (group) => (marks[group]! & UNDECIDED) !== 0,
    isWriteOver: (group, side) => (marks[group]! & WRITE_OVER[side]) !== 0,
    isPutBack: (group, side) => (marks[group]! & PUT_BACK[side]) !== 0,
    divergedBecause: (group) => diverged.get(group),
    opsOf(group) {
      const at = first[group]!
      if (at === -1) return []
      let last = at
      while (last < ops.length && ops[last]!.group === group) last += 1
      return ops.slice(at, last)
    },
  }
}

/** Stores the rows of a plan as they come, each after the plugins have judged it. */
function createRows(run: FeatureRun, planId: string, reviewed: FilterInput['reviewed']) {
  const isJudged = run.engine.taps.has(FILTER_PLAN)
  const waiting: NewPlanItem[] = []
  let n = 0
  async function store(least: number): Promise<void> {
    while (waiting.length >= least) await insertPlanItems(run.engine.db, planId, waiting.splice(0, STORED))
  }
  return {
    /** The next position in the plan. */
    next: () => n++,
    async put(rows: readonly PlannedRow[]): Promise<void> {
      waiting.push(...(isJudged ? await judgeRows(run, planId, rows, reviewed) : rows.map(({ row }) => row)))
      await store(STORED)
    },
    /** Returns the number of rows. */
    async end(): Promise<number> {
      await store(1)
      return n
    },
  }
}

function planOp(op: Operation, group: number, view: GroupView, given: FilterInput): PlanOp {
  const verdict = findVerdict(op, view, given)
  return {
    ...{ group, side: op.side, op: op.op, key: view.group.key, value: op.value, cause: op.cause },
    ...{ evidenceMs: op.evidenceMs, n: -1, seen: undefined, reported: false },
    ...{ state: verdict?.state ?? 'ready', reason: verdict?.reason ?? null },
    unresolved: verdict?.unresolved === true || isAccepted(verdict?.reason),
    ...(tombstonesAgainst(op, view, given) === 'overridden' ? { readded: true } : {}),
    ...defined({ awaits: verdict?.awaits, loss: lossOf(op, view, given, given.reads) }),
  }
}

/** Views of groups, with their base rows. */
export async function viewsOf(input: ViewInput, indexes: readonly number[]): Promise<GroupView[]> {
  const { groups, run, views } = input
  // The accounts are locked, so a view stays valid from the plan to the commit.
  const cached = indexes.flatMap((group) => views?.get(group) ?? [])
  if (cached.length === indexes.length) return cached
  const known = indexes.flatMap((group) => [groups.baseOf(group), ...groups.moreBases(group)]).filter((at) => at >= 0)
  const ids = known.map((at) => groups.base.ids[at]!)
  const bases = await baseRows(run.engine.db, ids)
  const made = indexes.map((group) => viewOf(input, group, bases))
  if (groups.changedGroups.length <= CACHED_VIEWS)
    for (const [at, group] of indexes.entries()) views?.set(group, made[at]!)
  return made
}

/** Both sides had the item before, so a person, or a fault of a service, changed it since. */
function isOfBoth({ group: { base } }: GroupView): boolean {
  return base !== null && base.a !== null && base.b !== null
}

/** The stored plan lists rejected operations only if a person or a plugin blocked them. */
function isLeftOut({ state, reason }: PlanOp): boolean {
  return state === 'filtered' && reason !== BLOCKED && reason !== VETOED
}

/** A watched item without a time that only one side has cannot be written. */
function isUntimed({ groups, reads }: ViewInput, index: number, { group }: GroupView): boolean {
  return SIDES.some((side) => {
    const at = rowIn(groups, side, index)
    return at >= 0 && reads[side].rows.skip(at) === 'missing_watched_at' && group[other(side)] === null
  })
}

/** Why an item is listed although no write is planned. */
function noteOf(
  input: ViewInput,
  group: number,
  view: GroupView,
  { state, reason, report, ops }: Decision,
  isStoppedTitle: boolean,
): string | undefined {
  if (isStoppedTitle) return ops.length === 0 && isDifferent(view) ? BLOCKED : undefined
  if (view.ambiguous) return 'ambiguous_identity'
  if (report === true && reason !== undefined) return reason
  if (isUntimed(input, group, view)) return 'missing_watched_at'
  if (state === 'diverged') return reason ?? 'diverged'
  return uncoveredReason(input.run, view) ?? (isAccepted(reason) && isDifferent(view) ? reason : undefined)
}

function isDifferent({ group: { a, b } }: GroupView): boolean {
  return a?.value !== b?.value
}

function asText(origin: Origin | undefined): string | undefined {
  return origin === undefined ? undefined : JSON.stringify(origin)
}

const STATES: readonly GroupState[] = ['linked', 'diverged', 'none', 'ambiguous']

function planItem(input: ViewInput, planned: PlanOp, op: Operation, view: GroupView): NewPlanItem {
  const { run, groups, reads } = input
  const before = view.group[planned.side]
  const at = rowIn(groups, planned.side, planned.group)
  // The account's own row: the view may have the time of another row.
  const current = before === null ? null : ownRow(reads[planned.side].rows, at)
  const sameProvider = run.pair.source === run.pair.target
  const wanted = op.item === undefined ? undefined : { ...op.item, ...idsOf(view) }
  const item =
    planned.op === 'remove'
      ? current!
      : forAccount(wanted ?? view.item, { sameProvider, ...defined({ current: current ?? undefined }) })
  const { n, side, key, value, state, reason } = planned
  return {
    ...{ n, side, op: planned.op, key, value, cause: op.cause, state, reason },
    item: JSON.stringify(item),
    current: current === null ? null : JSON.stringify(current),
    before: before?.value ?? null,
    shown: state === 'ready' && !run.dryRun && !view.ambiguous ? JSON.stringify(shownIn(input, planned, view)) : null,
  }
}

/** The mapping adds ids that the account finds a title by, but numbers an episode as the other account does. */
function ownRow(rows: SideRows, at: number): Item {
  const item = rows.item(at)
  return item.type === 'episode' ? rows.given(at) : item
}

/** For a run that ends before its commit. */
function shownIn(input: ViewInput, op: PlanOp, view: GroupView): Shown {
  const { reads, run } = input
  const seen = (side: Side) =>
    view.group[side] === null ? undefined : { ...rowSeen(input, op.group, side, view), t: reads[side].atMs }
  const { item, stored, joined } = view
  return defined({
    ...{ a: seen('a'), b: seen('b'), j: joined, item: stored === item ? undefined : stored, loss: op.loss },
    recorded: recordedChange(run, input, op),
  })
}

/** All known ids of the item, so that the service is more likely to find it. */
function idsOf({ item }: GroupView) {
  return keyOf(item).ok ? { ids: item.ids, ...defined({ show_ids: item.show_ids }) } : {}
}

function headerOf({ run, reads }: ViewInput, id: string, tally: Tally, held: Planned['held']): PlanHeader {
  const side = (name: Side) => {
    const { provider, instance, uid } = run.sides[name]
    const inState = (state: PlanItemState) => tally(name, 'any', state)
    return {
      ...{ provider, instance, uid, account: reads[name].account, ...byKind(tally, name, 'ready') },
      ...{ held: inState('held'), held_reason: held[name]?.reason ?? null },
      ...{ deferred: inState('deferred'), filtered: inState('filtered') },
    }
  }
  const { order, pair, feature, plays, dryRun, approved, engine } = run
  return {
    ...{ id, run_id: order.runId, pair_id: pair.id, feature, mode: pair.mode, plays, dry_run: dryRun },
    ...(approved.size > 0 ? { approved: true as const } : {}),
    created_at_ms: engine.now(),
    state: 'planned',
    sides: { a: side('a'), b: side('b') },
    read: { a: reads.a.rows.size, b: reads.b.rows.size },
  }
}
