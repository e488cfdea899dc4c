// Saves edited rows of the tracker, through a plan of the library.
import { type AccountChange, type LibraryRow, namedAccount, PlayheadError } from '@playhead/sdk'
import { compareItems, contradicts, formatKey, type Item, keyOf } from '@playhead/sdk/items'
import { appliedOf } from '../results.ts'
import { isSaidBy, readRows, readTexts, type RowError, type SubmittedRow } from '../rows.ts'
import { changedSinceLoad, type Kind, type Sources, TRACKER } from '../sources.ts'
import type { DatasetBody } from './body.ts'
import { requireWorkspace, workspaceOf } from './workspaces.ts'

const WAIT_MS = 10_000
const KEYS = 250
const MAX_KEYS = 100

export async function saveTracker(sources: Sources, kind: Kind, body: DatasetBody) {
  const { tracker, actions } = sources
  const named = await namedAccount(sources.accounts, TRACKER, body.provider_instance)
  const { provider, instance, description } = named
  requireWorkspace(body.workspace ?? body.snapshot ?? undefined, named)
  const head = {
    kind,
    source: 'tracker',
    provider,
    provider_instance: instance,
    ...(await workspaceOf(sources, named)),
    dry_run: body.dry_run === true,
  }
  const now = await tracker.revision(instance, kind)
  if (body.items === undefined)
    return { ...head, ok: true, revision: now, ts: null, ...countedOf([], []), planned: NONE }
  const { rows } = await readRows(body.items, kind)
  const originals = readTexts(body.original_keys, 'original_keys') ?? []
  const current = await rowsOf(sources, instance, kind, [...originals, ...rows.map(({ loadedKey }) => loadedKey)])
  const gone = originals.filter((key) => !current.has(key))
  const isChanged = gone.length > 0 || (body.revision != null && body.revision !== now)
  const canUpdate = description.features[kind]?.update === true
  const { changes, rejected } = changesOf({ rows, originals, current, canUpdate })
  if (isChanged && body.force !== true && changes.length > 0)
    throw changedSinceLoad({ revision: now, removed: gone.slice(0, MAX_KEYS), removed_count: gone.length })
  if (changes.length === 0)
    return { ...head, ok: rejected.length === 0, revision: now, ts: null, ...countedOf(rejected, []), planned: NONE }
  const plan = await actions.plan({
    provider,
    instance,
    feature: kind,
    ...(kind === 'history' ? { plays: true } : {}),
    changes,
    cause: 'editor',
  })
  const planned = { ...plan.ready, held: plan.held?.count ?? 0 }
  const refused = [...rejected, ...plan.leftOut.map(({ key, reason }) => ({ key, reason }))]
  if (body.dry_run === true)
    return { ...head, ok: true, revision: now, ts: null, planned, plan_id: plan.planId, ...countedOf(refused, []) }
  if (plan.held !== null && body.confirm_removals !== true)
    throw new PlayheadError('PLH_CONFLICT', 'This removes many items. Send "confirm_removals" to confirm.', {
      wire: 'confirm_removals_required',
      details: { removals: plan.held.count, reason: plan.held.reason, planned },
    })
  const { isWaiting, outcomes } = await actions.apply(plan.planId, {
    approved: body.confirm_removals === true,
    waitMs: WAIT_MS,
  })
  const result = countedOf(refused, outcomes)
  return {
    ...head,
    ok: result.unresolved_count + refused.length === 0,
    revision: await tracker.revision(instance, kind),
    ts: Math.floor(Date.now() / 1_000),
    planned,
    ...result,
    plan_id: plan.planId,
    ...(isWaiting ? { accepted: true, waiting: true } : {}),
  }
}

const NONE = { add: 0, update: 0, remove: 0, held: 0 }

async function rowsOf(
  { tracker }: Sources,
  instance: string,
  kind: Kind,
  given: readonly string[],
): Promise<ReadonlyMap<string, LibraryRow>> {
  const keys = [...new Set(given)].filter((key) => key !== '')
  const found = new Map<string, LibraryRow>()
  for (let start = 0; start < keys.length; start += KEYS)
    for (const row of await tracker.items(instance, kind, keys.slice(start, start + KEYS))) found.set(row.key, row)
  return found
}

interface Edit {
  readonly rows: readonly SubmittedRow[]
  readonly originals: readonly string[]
  /** Indexed by the tracker's key. */
  readonly current: ReadonlyMap<string, LibraryRow>
  readonly canUpdate: boolean
}

function changesOf({ rows, originals, current, canUpdate }: Edit) {
  const loaded = new Set(originals)
  const kept = new Set<string>()
  const added = new Set<string>()
  const changes: AccountChange[] = []
  const rejected: RowError[] = []
  const add = ({ key, item }: SubmittedRow) => {
    if (added.has(key)) return
    added.add(key)
    changes.push({ op: 'add', key, item: withoutNative(item) })
  }
  for (const row of rows) {
    const { loadedKey, item } = row
    const stored = current.get(loadedKey)
    if (stored === undefined) {
      // A loaded row that no longer exists was removed elsewhere.
      if (!loaded.has(loadedKey)) add(row)
      continue
    }
    if (kept.has(loadedKey)) continue
    kept.add(loadedKey)
    if (isSaidBy(item, stored.item)) continue
    if (!isSameWork(item, stored.item)) {
      changes.push({ op: 'remove', key: loadedKey, item: stored.item, current: stored.item })
      add(row)
    } else if (canUpdate) {
      changes.push({
        op: 'update',
        key: loadedKey,
        item: { ...stored.item, ...withoutNative(item), ...nativeOf(stored.item) },
        current: stored.item,
      })
    } else rejected.push({ key: loadedKey, reason: 'cannot_update' })
  }
  for (const key of loaded) {
    const stored = current.get(key)
    if (stored !== undefined && !kept.has(key))
      changes.push({ op: 'remove', key, item: stored.item, current: stored.item })
  }
  return { changes, rejected }
}

/** Additional or changed ids of the same work do not make it another work. */
function isSameWork(a: Item, b: Item): boolean {
  if (contradicts(a, b)) return false
  const [one, other] = [keyOf(a), keyOf(b)]
  const isSameKey = one.ok && other.ok && formatKey(one.value) === formatKey(other.value)
  return isSameKey || compareItems(a, b) === 'same'
}

function withoutNative({ native: _native, library_id: _library, ...item }: Item): Item {
  return item
}

function nativeOf({ native }: Item): Pick<Item, 'native'> {
  return native === undefined ? {} : { native }
}

function countedOf(...given: Parameters<typeof appliedOf>) {
  const applied = appliedOf(...given)
  return { count: applied.added + applied.updated + applied.removed, ...applied }
}
