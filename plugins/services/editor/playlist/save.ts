// Saves a playlist: merges the client's changes since loading with concurrent changes of the list.
import {
  type ActionOutcome,
  type ChangePlan,
  defined,
  type List,
  type ListChanges,
  type Loss,
  PlayheadError,
} from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { fromService } from '../failures.ts'
import { appliedOf } from '../results.ts'
import { readRows, readTexts, type RowError } from '../rows.ts'
import { changedSinceLoad, invalid, type Sources } from '../sources.ts'
import { entriesOf, findEndpoint } from './endpoints.ts'
import { type Merge, mergeList, type Originals } from './merge.ts'

export interface PlaylistBody {
  readonly items?: unknown
  readonly original_keys?: unknown
  readonly original_ids?: unknown
  readonly checkpoint?: string | null
  readonly force?: boolean
  readonly confirm_clear?: boolean
  readonly confirm_removals?: boolean
  readonly confirm?: unknown
  readonly dry_run?: boolean
}

const WAIT_MS = 10_000
const MAX_KEYS = 100

export async function savePlaylist(sources: Sources, id: string, body: PlaylistBody) {
  if (!isRecord(body.items) && !Array.isArray(body.items))
    throw invalid('items_required', 'Send the items of the list as "items". An empty list also needs "confirm_clear".')
  const { rows, inOrder } = await readRows(body.items, 'playlist')
  const given = readOriginals(body)
  const confirm = readTexts(body.confirm, 'confirm') as readonly Loss[] | undefined
  const { list: name } = await findEndpoint(sources, id)
  const read = await fromService(() => sources.lists.read(name))
  const { list, revision } = read
  if (list.readOnly !== undefined)
    throw new PlayheadError('PLH_UNSUPPORTED', 'The list cannot be changed.', {
      wire: 'list_read_only',
      details: { reason: list.readOnly },
    })
  const current = await entriesOf(sources, read)
  if (rows.length === 0 && current.length > 0 && body.confirm_clear !== true)
    throw invalid('confirm_clear_required', 'This removes all items of the list. Send "confirm_clear" to confirm.', {
      count: current.length,
    })
  // A client that does not list the loaded entries clears the current list.
  const isAsLoaded = body.checkpoint === revision || (rows.length === 0 && body.checkpoint == null)
  const originals = given ?? (isAsLoaded ? { keys: current.map(({ key }) => key) } : null)
  const merge = mergeList({ current, rows, inOrder, originals, list })
  if (body.force !== true) refuseChanged(merge, { checkpoint: body.checkpoint ?? null, revision, originals })
  if (originals === null && merge.unnamed > 0 && body.force !== true)
    throw invalid(
      'original_keys_required',
      'Removing items needs "original_keys" of the list as it was loaded, so that items added elsewhere stay.',
      { count: merge.unnamed },
    )
  refuseUnsupported(merge, list)
  const warnings = warningsOf(merge, list, originals)
  const order = merge.order !== null && list.can.includes('move') ? merge.order : undefined
  const answer = { source: 'playlist', endpoint_id: id, warnings, dry_run: body.dry_run === true }
  if (merge.adds.length + merge.removals.length === 0 && order === undefined) {
    return { ...answer, ...resultOf(NO_PLAN, [], []), ok: true }
  }
  const changes: ListChanges = {
    readId: read.readId,
    changes: [
      ...merge.removals.map(({ key }) => ({ op: 'remove' as const, key })),
      ...merge.adds.map(({ key, item }) => ({ op: 'add' as const, key, item })),
    ],
    ...defined({ order, confirm }),
    cause: 'editor',
    ...(body.dry_run === true ? { dryRun: true } : {}),
  }
  const plan = await fromService(() => sources.lists.plan(changes))
  const rejected = plan.leftOut.map(({ key, reason }) => ({ key, reason }))
  if (body.dry_run === true)
    return { ...answer, ...resultOf(plan, rejected, []), ok: true, held: plan.held, plan_id: plan.planId }
  const approved = body.confirm_removals === true || body.confirm_clear === true
  if (plan.held !== null && !approved)
    throw new PlayheadError('PLH_CONFLICT', 'This removes many items. Send "confirm_removals" to confirm.', {
      wire: 'confirm_removals_required',
      details: { removals: plan.held.count, reason: plan.held.reason },
    })
  const applied = await fromService(() => sources.actions.apply(plan.planId, { approved, waitMs: WAIT_MS }))
  const result = resultOf(plan, rejected, applied.outcomes)
  return {
    ...answer,
    ...result,
    ok: result.unresolved_count + rejected.length === 0,
    plan_id: plan.planId,
    ...(applied.isWaiting ? { accepted: true, waiting: true } : {}),
  }
}

function readOriginals(body: PlaylistBody): Originals | null {
  const keys = readTexts(body.original_keys, 'original_keys')
  if (keys === undefined) return null
  const ids = body.original_ids
  if (ids === undefined) return { keys }
  const isRight =
    Array.isArray(ids) && ids.length === keys.length && ids.every((one) => one === null || typeof one === 'string')
  if (!isRight) throw invalid('invalid_original_ids', 'Send as many "original_ids" as "original_keys".')
  return { keys, ids: ids as readonly (string | null)[] }
}

function refuseChanged(
  { elsewhere }: Merge,
  {
    checkpoint,
    revision,
    originals,
  }: { readonly checkpoint: string | null; readonly revision: string; readonly originals: Originals | null },
): void {
  const { added, removed, moved } = elsewhere
  const isChanged =
    originals === null
      ? checkpoint !== null && checkpoint !== revision
      : added.length > 0 || removed.length > 0 || moved
  if (!isChanged) return
  throw changedSinceLoad({
    checkpoint: revision,
    added: added.slice(0, MAX_KEYS),
    added_count: added.length,
    removed: removed.slice(0, MAX_KEYS),
    removed_count: removed.length,
    moved,
  })
}

function refuseUnsupported({ adds, removals }: Merge, { can }: List): void {
  const rejected: RowError[] = []
  if (!can.includes('add')) rejected.push(...adds.map(({ key }) => ({ key, reason: 'cannot_add' })))
  if (!can.includes('remove')) rejected.push(...removals.map(({ key }) => ({ key, reason: 'cannot_remove' })))
  if (rejected.length === 0) return
  throw new PlayheadError('PLH_UNSUPPORTED', 'The list cannot be changed like this. Nothing was changed.', {
    wire: rejected[0]!.reason,
    details: { rejected: rejected.slice(0, MAX_KEYS), rejected_count: rejected.length },
  })
}

function warningsOf({ order, ambiguous, unnamed }: Merge, { can }: List, originals: Originals | null) {
  return [
    ...(order !== null && !can.includes('move') ? [{ code: 'cannot_reorder' }] : []),
    ...(ambiguous.length > 0 ? [{ code: 'ambiguous_removal', keys: ambiguous.slice(0, MAX_KEYS) }] : []),
    ...(originals === null && unnamed > 0 ? [{ code: 'originals_unknown' }] : []),
  ]
}

const NO_PLAN: Pick<ChangePlan, 'ready' | 'held'> = { ready: { add: 0, update: 0, remove: 0 }, held: null }

function resultOf(
  { ready, held }: Pick<ChangePlan, 'ready' | 'held'>,
  rejected: readonly RowError[],
  outcomes: readonly ActionOutcome[],
) {
  const { updated: reordered, ...applied } = appliedOf(rejected, outcomes)
  return {
    planned_additions: ready.add,
    planned_removals: ready.remove + (held?.count ?? 0),
    planned_moves: ready.update,
    reordered,
    ...applied,
  }
}
