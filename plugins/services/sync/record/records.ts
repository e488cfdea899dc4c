// Plans, unresolved items and undo previews in the form that the routes return.
import {
  labelledReasons,
  type Origin,
  originCarrier,
  originLabel,
  type OriginPlace,
  PlayheadError,
  reasonLabel,
  type RunStart,
  type Tables,
} from '@playhead/sdk'
import { episodeCode } from '@playhead/sdk/items'
import { other } from '../feature-run.ts'
import { accountOf, endsOf, type Pair, sideOf } from '../pairs/pair.ts'
import { nameOf } from '../pairs/pairs.ts'
import type { UndoPreview } from '../run/undo.ts'
import { causesOf, type ItemFilter, searchPlanItems } from '../store/plan-search.ts'
import { originOf, timeOfAct } from '../store/origin-of.ts'
import { knownPlan, NO_PAIR, type PlanHeader, type PlanItem } from '../store/plans.ts'
import { listUnresolved, type Unresolved, type UnresolvedQuery } from '../store/unresolved.ts'
import { labelOf, type Labels } from './reason-text.ts'
import { displayTitle } from './summary.ts'

export const MAX_UNRESOLVED = 5_000

/** Queries and actions on plans and unresolved items. */
export type RunRecords = ReturnType<typeof createRecords>

interface PlanPage extends ItemFilter {
  readonly facets: boolean
  readonly offset: number
  readonly limit: number
}

interface RecordDependencies {
  readonly db: Tables
  /** Previews the undo of a run. */
  readonly previewUndo: (runId: string) => Promise<UndoPreview>
  readonly startUndo: (runId: string) => Promise<RunStart>
  readonly isKnownRun: (runId: string) => Promise<boolean>
  readonly pairs: () => readonly Pair[]
  readonly providers: () => Promise<Labels>
}

const PAGE = 500

export function createRecords({ db, previewUndo, startUndo, isKnownRun, pairs, providers }: RecordDependencies) {
  async function previewOf(runId: string): Promise<UndoPreview> {
    if (await isKnownRun(runId)) return previewUndo(runId)
    throw new PlayheadError('PLH_NOT_FOUND', 'This run does not exist. Old runs are deleted.', {
      wire: 'run_not_found',
    })
  }

  return {
    /** A page of the unresolved items, grouped by reason or sorted by title within one reason. */
    async unresolved({ offset = 0, limit = MAX_UNRESOLVED, ...which }: UnresolvedQuery) {
      const rows: ReturnType<typeof toRow>[] = []
      let total = 0
      const known = await providers()
      const byId = new Map(pairs().map((pair) => [pair.id, pair]))
      while (rows.length < limit) {
        const page = { offset: offset + rows.length, limit: Math.min(PAGE, limit - rows.length) }
        const { items, total: all } = await listUnresolved(db, { ...which, ...page })
        total = all
        rows.push(...items.map((item) => toRow(item, byId.get(item.pair_id), known)))
        if (items.length < page.limit) break
      }
      return {
        total,
        items: rows.toSorted(
          (a, b) => compare(a.reason, b.reason) || compare(a.title, b.title) || compare(a.code, b.code),
        ),
      }
    },
    async plan(planId: string, { offset, limit, facets, ...filter }: PlanPage) {
      const header = await knownPlan(db, planId)
      const known = await providers()
      const [{ total, items }, causes] = [
        await searchPlanItems(db, [planId], filter, { offset, limit }),
        facets ? await causesOf(db, planId) : [],
      ]
      return {
        ...planHeader(header),
        total,
        items: items.map((found) => {
          // Ids of one account are useless in a plan.
          const { native: _native, ...item } = found.item
          return { ...itemRow(found, header, known), state: found.state, item }
        }),
        facets: { causes: causes.map((facet) => ({ ...facet, cause_label: reasonLabel(facet.cause) })) },
      }
    },
    /** Lists the operations that an undo would revert, and those that it cannot. */
    async previewUndo(runId: string) {
      const preview = await previewOf(runId)
      return { ...preview, irreversible_by_reason: labelledReasons(preview.irreversible_by_reason) }
    },
    /** Starts the run of an undo. */
    async undo(runId: string): Promise<RunStart> {
      const preview = await previewOf(runId)
      if (preview.reversible === 0 && preview.irreversible.length === 0) {
        throw new PlayheadError(
          'PLH_CONFLICT',
          'There is nothing to undo. The run changed nothing, or it was already undone.',
          { wire: 'nothing_to_undo' },
        )
      }
      return startUndo(runId)
    },
  }
}

function toRow(row: Unresolved, pair: Pair | undefined, known: Labels) {
  const { item, reason_code: code, feature } = row
  const episode =
    item.type === 'episode' && item.season !== undefined && item.episode !== undefined ? episodeCode(item) : ''
  const reason = reasonLabel(code)
  return {
    line: `${displayTitle(item)} | ${reason}`,
    title: item.series_title ?? item.title ?? 'Unknown',
    code: episode,
    type: item.type,
    reason,
    reason_code: code,
    feature,
    key: row.key,
    provider: row.provider,
    provider_instance: row.provider_instance,
    pair_id: row.pair_id,
    op: row.op,
    first_at: toSeconds(row.first_at_ms),
    last_at: toSeconds(row.last_at_ms),
    attempts: row.attempts,
    quarantined: row.quarantined,
    run_id: row.run_id,
    ...originOfUnresolved(row, pair, known),
  }
}

type Acted = Pick<Unresolved, 'op' | 'feature' | 'provider' | 'provider_instance' | 'reason_code' | 'origin'>

export function originOfUnresolved(row: Acted, pair: Pair | undefined, known: Labels) {
  const { feature, origin } = row
  return originFields(origin, { feature, ...(pair === undefined ? {} : { shownAt: shownAt(row, pair) }) }, known)
}

/** The account whose row, or its absence, made the difference. */
function shownAt({ op, provider, provider_instance: instance, reason_code: code, origin }: Acted, pair: Pair) {
  const own = sideOf(pair, { provider, instance })
  const named = op === 'match' ? /_([ab])$/.exec(code)?.[1] : undefined
  const isOwn = named === undefined ? op === 'match' && origin?.act === 'remove' : named === own
  return endsOf(pair)[isOwn ? own : other(own)]
}

function originFields(origin: Origin | null, place: OriginPlace, known: Labels) {
  if (origin === null) return { origin: null, origin_label: null, origin_carrier: null }
  const label = originLabel(origin, place, (...name) => nameOf(...name, known))
  return { origin, origin_label: label, origin_carrier: originCarrier(origin, place) ?? null }
}

/** An operation in the form that lists show. */
export function itemRow(planItem: PlanItem, { pair_id: pairId, feature, sides }: PlanHeader, known: Labels) {
  const { n, side, op, key, value, cause, reason, note, before, item } = planItem
  const [at, from] = [accountOf(sides[side]), accountOf(sides[other(side)])]
  const origin = originOf(
    { ...planItem, time: timeOfAct(feature, item) },
    { feature, isOfPair: pairId !== NO_PAIR, from, at },
  )
  return {
    n,
    side,
    op,
    key,
    value,
    before,
    cause,
    cause_label: reasonLabel(cause),
    reason,
    reason_label: labelOf(reason),
    note,
    display_title: displayTitle(item),
    type: item.type,
    year: item.year ?? null,
    ...originFields(origin, { feature, shownAt: from, writtenTo: at }, known),
  }
}

/** A plan without its operations. */
export function planHeader({ id, created_at_ms: createdAtMs, cause, ...rest }: PlanHeader) {
  return {
    plan_id: id,
    ...rest,
    created_at: new Date(createdAtMs).toISOString(),
    cause: cause ?? null,
    cause_label: labelOf(cause),
  }
}

export function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
