// Inputs of decisions and filters: rules, blocks, tombstones, namesakes, the reviewed plan.
import type { Decision, DecideRules, Side } from '@playhead/sdk'
import { sharesScheme, titleTokenOf } from '@playhead/sdk/items'
import { planPages } from '../store/plans.ts'
import { accountKeys, findTombstones, hasTombstones, tombstoneTokens } from '../store/tombstones.ts'
import { blocksOf } from '../policy/in-run.ts'
import { type FilterInput, mayBeSame } from './filters.ts'
import { lackedAtMs } from './lacked.ts'
import type { Removed } from './readded.ts'
import { removeModeOf } from './approval.ts'
import { other, reachOf, SIDES } from '../feature-run.ts'
import type { GroupView, ViewInput } from './view.ts'

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
    firstRun: run.state === null,
    lastRunStartedAtMs: run.state?.lastRunStartedAtMs ?? null,
    nowMs: run.nowMs,
    mayProveAbsence: checks.mayProve,
    support: { a: run.sides.a.support, b: run.sides.b.support },
  }
}

export async function filterInput(
  input: ViewInput,
): Promise<Pick<FilterInput, 'run' | 'checks' | 'blocks' | 'reviewed' | 'titles' | 'unreadable'>> {
  const { run, checks, reads } = input
  const blocks = await blocksOf(run)
  const unreadable = { a: reads.a.unreadable, b: reads.b.unreadable }
  const { titles } = run.order.request
  return {
    run,
    checks,
    blocks,
    unreadable,
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

const NONE: Removed = { tombstones: new Map(), lackedAtMs: new Map() }

/** Removals of items that only one side has, as far as they are known. */
export async function removedOf(
  { run, reads }: ViewInput,
  views: readonly GroupView[],
): Promise<Readonly<Record<Side, Removed>>> {
  const { db } = run.engine
  const found: Record<Side, Removed> = { a: NONE, b: NONE }
  const single = views.filter(({ group }) => (group.a === null) !== (group.b === null))
  const tokens = single.flatMap(({ item }) => tombstoneTokens(item))
  const blocked = new Set<string>()
  for (const side of SIDES) {
    const accounts = accountKeys(run.sides[side], reads[side].account)
    if (tokens.length === 0 || !(await hasTombstones(db, accounts, run.feature))) continue
    const tombstones = await findTombstones(db, accounts, run.feature, tokens)
    for (const token of tombstones.keys()) blocked.add(token)
    found[side] = { ...NONE, tombstones }
  }
  if (blocked.size === 0) return found
  const questioned = single.filter(({ item }) => tombstoneTokens(item).some((token) => blocked.has(token)))
  for (const side of SIDES) {
    const items = questioned.flatMap(({ group }) => group[side]?.item ?? [])
    if (items.length > 0)
      found[side] = { ...found[side], lackedAtMs: await lackedAtMs(run, run.sides[side], reads[side], items) }
  }
  return found
}

/** Adds when the accounts last lacked the rows that cause an add, as the added rows inherit it. */
export async function withSources(
  { run, reads }: ViewInput,
  removed: Readonly<Record<Side, Removed>>,
  views: readonly GroupView[],
  decisions: readonly Decision[],
): Promise<Readonly<Record<Side, Removed>>> {
  const found = { ...removed }
  for (const side of SIDES) {
    const items = views.flatMap(({ group }, index) =>
      decisions[index]!.ops.some((op) => op.op === 'add' && op.side === other(side)) ? (group[side]?.item ?? []) : [],
    )
    if (items.length === 0) continue
    const known = await lackedAtMs(run, run.sides[side], reads[side], items)
    found[side] = { ...removed[side], lackedAtMs: new Map([...removed[side].lackedAtMs, ...known]) }
  }
  return found
}

export function namesakesIn({ groups, reads, run }: ViewInput): FilterInput['namesakes'] {
  const within = reachOf(run)
  return (side, view) => {
    const item = view.group[other(side)]?.item ?? view.item
    const token = titleTokenOf(item)
    if (token === undefined) return false
    const rows = groups.titled(side, token).map((index) => reads[side].rows.item(index))
    return mayBeSame(view, rows, (x, y) => sharesScheme(x, y, { within }))
  }
}
