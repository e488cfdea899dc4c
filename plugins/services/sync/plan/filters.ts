// Filters that reject decided operations: switches, safety rules, capabilities of the target, blocks, ambiguous identity,
// tombstones, earlier failures, the reviewed plan.
import { type DecideRules, defined, FILTER_PLAN, type Operation, type Side } from '@playhead/sdk'
import {
  anyContradict,
  blockNames,
  entryTokens,
  isAnimeScheme,
  isRemovable,
  type Item,
  kindOf,
  ownIds,
  parseTime,
  sharesScheme,
  titleTokenOf,
  tokensOf,
} from '@playhead/sdk/items'
import { type FeatureSupport, playRefusal } from '@playhead/sdk/provider'
import { type UnresolvedRow, unresolvedKey } from '../store/unresolved.ts'
import { slotOf } from '../store/base.ts'
import { hashOf } from '../store/state.ts'
import { isApproved, removeModeOf } from './approval.ts'
import type { AccountFacts } from './account-facts.ts'
import type { PlanOp } from './planned.ts'
import { tombstonesAgainst } from './readded.ts'
import { coversKind, OUT_OF_SCOPE } from './coverage.ts'
import { RENAMED } from './renamed.ts'
import { other, reachOf, SIDES } from '../feature-run.ts'
import { hasTitle, UNREADABLE } from '../library/unreadable.ts'
import { type GroupView, presenceOf, stillSettled, type ViewInput } from './view.ts'
import { planPages } from '../store/plans.ts'
import { blocksOf } from '../policy/in-run.ts'
import { isOneOf, stoppedIn } from '../policy/stopped.ts'

interface Verdict {
  readonly state: 'filtered' | 'deferred'
  readonly reason: string
  /** Whether the rejected operation is listed as unresolved. */
  readonly unresolved: boolean
  readonly awaits?: PlanOp['awaits']
}

export interface FilterInput extends AccountFacts, Pick<ViewInput, 'run' | 'checks' | 'reads'> {
  /** The row of one side may have another name since the last read. */
  readonly isRenamed: boolean
  readonly unresolved: ReadonlyMap<string, UnresolvedRow>
  readonly runNumber: number
  /** Names of blocked items on each side, as `blockNames` returns them. */
  readonly blocks: Readonly<Record<Side, ReadonlySet<string>>>
  /** Whether the item is of a title that a person stopped. */
  isStopped(item: Item | undefined): boolean
  /** Rows of the side without a counterpart that have this title and share no id with the item. */
  namesakes(side: Side, view: GroupView): boolean
  /** Operations of a reviewed plan, as `side op key`, with their values. */
  readonly reviewed: ReadonlyMap<string, string> | null
  /** Names of the titles that the run is limited to; null for all titles. */
  readonly titles: ReadonlySet<string> | null
}

type Filter = (op: Operation, view: GroupView, input: FilterInput) => Verdict | undefined

/** The first verdict, or undefined. */
export function findVerdict(op: Operation, view: GroupView, input: FilterInput): Verdict | undefined {
  for (const filter of FILTERS) {
    const verdict = filter(op, view, input)
    if (verdict !== undefined) return verdict
  }
  return undefined
}

/** Hash of the ids. New ids reset the failures of an item. */
export function identityOf({ item }: Pick<GroupView, 'item'>): string {
  return hashOf([item.ids, item.show_ids ?? null])
}

const verdictOf =
  (state: Verdict['state']) =>
  (reason: string, unresolved = false): Verdict => ({ state, reason, unresolved })
const filtered = verdictOf('filtered')
const deferred = verdictOf('deferred')

const safety: Filter = (op, view, { run, checks, reads }) => {
  const { group } = view
  const { side } = op
  if (run.pair.mode === 'one_way' && side === 'a') return filtered('one_way')
  if (view.ambiguous) return filtered('ambiguous_identity', true)
  // The feature decides again about a state that it left (`r`). A state that an undo left stays.
  if (view.base?.state.s?.r === undefined && stillSettled(view)) return filtered('settled')
  if (view.unclear[side]) return filtered('not_understood')
  const presence = presenceOf(group, side)
  if (
    presence === 'unknown' &&
    !(
      op.op === 'add' &&
      run.sides[side].support.idempotentAdd === true &&
      view.dormant[side] === undefined &&
      group.base?.[side] == null
    )
  )
    return filtered('unknown_presence')
  if (view.lost.some((each) => each.side === side)) return deferred('write_not_visible', true)
  if (op.op === 'add') {
    // The item may still exist as an unreadable row.
    const hidden =
      group.base?.[side] != null &&
      (checks[side].implausible === UNREADABLE || hasTitle(reads[side].unreadable, view.item)) &&
      !isApproved(run, { ...op, key: group.key })
    if (hidden) return deferred(UNREADABLE, true)
    // Plays cannot be distinguished, so an emptied account is not refilled at once. If the read is doubtful, plays that it lacks
    // are not added, because they could become second plays.
    const repeats = run.feature === 'history' && run.sides[side].support.idempotentAdd !== true
    if (
      ((run.plays && group.base?.[side] != null) || repeats) &&
      checks[side].implausible !== null &&
      (run.state?.suspect[side] ?? 0) === 0
    )
      return deferred(checks[side].implausible)
    return undefined
  }
  if (presence !== 'present') return filtered('not_there')
  if (op.op === 'update') return undefined
  if (run.state === null) return filtered('first_run')
  const row = group[side]!.item
  if (!isRemovable(row) && !isEntry(run, row)) return filtered('missing_ids', true)
  if (!coversKind(run, other(side), group[side]!.item)) return filtered(OUT_OF_SCOPE, true)
  const opposite = presenceOf(group, other(side))
  if (opposite === 'unknown' || (opposite === 'absent' && !checks[other(side)].mayProve))
    return filtered('absence_not_proven')
  const seenOnBoth = group.base?.a != null && group.base.b !== null
  const mirrored = op.cause === 'mirror' && run.mirror !== undefined && run.pair.mode === 'one_way'
  return seenOnBoth || mirrored ? undefined : filtered('never_linked')
}

const DAY_MS = 86_400_000

/** A play in the future: services would store it and show it as watched. The date may already be tomorrow in UTC. */
export function isStillToCome({ watched_at: time }: Item, nowMs: number): boolean {
  return (parseTime(time)?.atMs ?? -Infinity) > nowMs + DAY_MS
}

const future: Filter = (op, { item }, { run }) =>
  op.op !== 'remove' && run.feature === 'history' && isStillToCome(op.item ?? item, run.nowMs)
    ? filtered('watched_in_future', true)
    : undefined

const switches: Filter = (op, _view, { run: { options } }) =>
  options[op.op === 'remove' ? 'remove' : 'add']
    ? undefined
    : filtered(op.op === 'remove' ? 'remove_disabled' : 'add_disabled')

const capabilities: Filter = (op, view, { run }) => {
  const { support } = run.sides[op.side]
  const item = op.item ?? view.group[op.side]?.item ?? view.item
  if (!support[op.op]) return filtered('read_only', true)
  if (!support.kinds.includes(kindOf(item))) return filtered('unsupported_type', true)
  if (run.plays) {
    if (support.plays?.write !== true) return filtered('read_only', true)
    const exact = support.plays.removeOne && view.group[op.side]?.item.native?.event_id !== undefined
    if (op.op === 'remove' && !exact) return filtered('exact_play_unknown', true)
  }
  if (run.feature === 'history' && op.op !== 'remove') {
    const reason = playRefusal(support, item, run.nowMs)
    if (reason === 'day_unsupported') return filtered(reason, true)
    if (reason !== undefined) return deferred(reason, true)
  }
  // A title alone may match another item there.
  const isNamed =
    tokensOf(view.item, { within: reachOf(run) }).length > 0 ||
    (isEntry(run, view.item) && (op.op === 'remove' || support.needsAnyId?.every(isAnimeScheme) === true))
  return isNamed && (op.op === 'remove' || hasNeededId(support, view))
    ? undefined
    : filtered(view.unmapped ?? 'missing_ids', true)
}

export const BLOCKED = 'manual_block'

/** A row of either account is of a stopped title. */
export function isStopped({ item, group: { a, b } }: GroupView, input: Pick<FilterInput, 'isStopped'>): boolean {
  return input.isStopped(item) || input.isStopped(a?.item) || input.isStopped(b?.item)
}

const stopped: Filter = (_op, view, input) => (isStopped(view, input) ? filtered(BLOCKED) : undefined)

/** A block prevents adds to and removals from its account. In a one-way pair, a block of the source prevents all writes. */
const blocked: Filter = (op, view, { run, blocks }) => {
  const sets = [
    ...(run.pair.mode === 'one_way' ? [blocks.a] : []),
    ...(op.op === 'update' ? [] : [blocks[op.side]]),
  ].filter(({ size }) => size > 0)
  if (sets.length === 0) return undefined
  const current = view.group[op.side]?.item
  const names = [view.item, ...(current === undefined ? [] : [current])].flatMap((item) => blockNames(item, run.plays))
  return names.some((name) => sets.some((set) => set.has(name))) ? filtered(BLOCKED) : undefined
}

/** A person declared that the account has the item. */
const addedByHand: Filter = (op, { byHand }) => (byHand[op.side] ? filtered('manual_add') : undefined)

const consumed: Filter = (op, { group }, { run }) => {
  if (op.op !== 'add' || run.feature !== 'watchlist' || group.base?.[op.side] == null) return undefined
  return (op.side === 'a' ? group.watchedA : group.watchedB) === true ? filtered('consumed') : undefined
}

const renamed: Filter = (op, _view, { isRenamed }) =>
  op.op !== 'update' && isRenamed ? deferred(RENAMED, true) : undefined

const namesake: Filter = (op, view, { namesakes }) => {
  if (op.op === 'update') return undefined
  return namesakes(op.op === 'add' ? op.side : other(op.side), view) ? filtered('ambiguous_identity', true) : undefined
}

const tombstoned: Filter = (op, view, input) =>
  tombstonesAgainst(op, view, input) === 'bar' ? filtered('tombstone', true) : undefined

/** The play was recorded on the side outside a run, or is represented by another row. */
export const RECORDED = 'recorded_before'

const recorded: Filter = (op, { repeats }) => {
  if (op.op !== 'add' || repeats[op.side] === undefined) return undefined
  return repeats[op.side] === 'recorded' ? filtered(RECORDED) : deferred('recorded_soon')
}

/** Two pairs may bring one play to an account whose reads are a little old. */
const unseen: Filter = (op, view, input) => {
  const isOwn = view.group.base?.[op.side] != null || view.base?.state[slotOf(op.side)] !== undefined
  if (op.op !== 'add' || isOwn || tombstonesAgainst(op, view, input) === 'overridden') return undefined
  const write = input.unseen(op.side, view)
  if (write === undefined) return undefined
  const { feature } = input.run
  // Two ratings or positions are compared once both show.
  const isSame = (feature !== 'ratings' && feature !== 'progress') || write.value === op.value
  const verdict = deferred('write_not_visible_yet', true)
  return isSame ? { ...verdict, awaits: write.doneAtMs } : verdict
}

const backoff: Filter = (op, view, { run, unresolved, runNumber }) => {
  const row = unresolved.get(unresolvedKey({ uid: run.sides[op.side].uid, op: op.op, key: view.group.key }))
  if (row === undefined || row.identity !== identityOf(view)) return undefined
  const { enabled, cooldown_days: days, block_adds: adds, block_removes: removes } = run.order.settings.blackbox
  const blocks = op.op === 'remove' ? removes : adds
  if (enabled && blocks && row.quarantined_at !== null && run.nowMs - row.quarantined_at < days * 86_400_000)
    return deferred('quarantined', true)
  return row.skip_until_run > runNumber ? deferred('backoff', true) : undefined
}

const chosen: Filter = (_op, { item }, { titles }) => {
  if (titles === null) return undefined
  return tokensOf(item).some((token) => titles.has(titleOf(token))) ? undefined : deferred('other_title')
}

/** The show of an episode or season. */
const titleOf = (token: string) => token.replace(/#.*$/s, '')

const reviewed: Filter = (op, view, input) => {
  if (input.reviewed === null) return undefined
  const value = input.reviewed.get(`${op.side} ${op.op} ${view.group.key}`)
  if (value === undefined) return deferred('not_in_plan')
  // A plugin may change the value, so compare after its verdict.
  if (input.run.engine.taps.has(FILTER_PLAN)) return undefined
  return value === op.value ? undefined : deferred('changed_since_plan')
}

const FILTERS: readonly Filter[] = [
  switches,
  // Before the filters that list an operation as unresolved.
  stopped,
  safety,
  future,
  capabilities,
  blocked,
  addedByHand,
  consumed,
  namesake,
  renamed,
  recorded,
  tombstoned,
  unseen,
  backoff,
  chosen,
  reviewed,
]

/** With the mapping on, the ids of entries name titles, at services that have nothing else. */
function isEntry({ mapping }: FilterInput['run'], item: Item): boolean {
  return mapping !== undefined && entryTokens(item).length > 0
}

function hasNeededId({ needsAnyId }: FeatureSupport, { item }: GroupView): boolean {
  if (needsAnyId === undefined) return true
  const own = ownIds(item)
  return needsAnyId.some((scheme) => own[scheme] !== undefined || item.show_ids?.[scheme] !== undefined)
}

/** The inputs of decisions. */
export function rulesOf({ run, checks }: ViewInput): DecideRules {
  const { settings } = run.order
  const truth = String(run.options['source_of_truth'] ?? settings.bidirectional.source_of_truth).toUpperCase()
  const sourceOfTruth: Side =
    truth === 'B' || (truth === run.pair.target.toUpperCase() && run.pair.target !== run.pair.source) ? 'b' : 'a'
  return {
    mode: run.pair.mode,
    options: run.options,
    removeMode: removeModeOf(run),
    mirrorApproved: run.mirror !== undefined,
    restoreDeleted: run.options['restore_deleted'] === true,
    sourceOfTruth,
    identity: run.comparing.identity,
    // A first run that could not read all rows is repeated.
    firstRun: SIDES.some((side) => (run.state?.readAtMs[side] ?? null) === null),
    ...defined({ startedAtMs: run.state?.startedAtMs }),
    lastRunStartedAtMs: run.state?.lastRunStartedAtMs ?? null,
    nowMs: run.nowMs,
    mayProveAbsence: { a: checks.a.mayProve, b: checks.b.mayProve },
    support: { a: run.sides.a.support, b: run.sides.b.support },
  }
}

/** The inputs of filters that are the same for all groups. */
export async function filterInput(input: ViewInput) {
  const { run, checks, reads } = input
  const { titles } = run.order.request
  return {
    ...{ run, checks, reads, namesakes: namesakesIn(input) },
    blocks: await blocksOf(run),
    isStopped: isOneOf((await stoppedIn(run)).names),
    reviewed: await reviewedOps(input),
    titles: titles === undefined ? null : new Set(titles),
  }
}

async function reviewedOps({ run }: ViewInput): Promise<ReadonlyMap<string, string> | null> {
  const id = run.order.request.plan_id
  if (id === undefined) return null
  const reviewed = new Map<string, string>()
  for await (const page of planPages(run.engine.db, id)) {
    for (const { side, op, key, value, state } of page) {
      if (state !== 'deferred' && state !== 'filtered') reviewed.set(`${side} ${op} ${key}`, value)
    }
  }
  return reviewed
}

/** Items with one title that share no id scheme to distinguish them. */
function namesakesIn({ groups, reads, run }: ViewInput): FilterInput['namesakes'] {
  const within = reachOf(run)
  return (side, view) => {
    const token = titleTokenOf(view.group[other(side)]?.item ?? view.item)
    if (token === undefined) return false
    const rows = groups.titled(side, token).map((index) => reads[side].rows.item(index))
    return rows.some((row) => !sharesScheme(view.item, row, { within }) && !anyContradict([view.item, row]))
  }
}
