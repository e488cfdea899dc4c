// Reads of the tracker: a consistent view in pages, or the changes since a checkpoint.
import { defined, type Item, PlayheadError } from '@playhead/sdk'
import { pagedRead, type ReadPart, type ReadRequest } from '@playhead/sdk/provider'
import { chunked, versionsAt } from './rows.ts'
import type { Tracked } from './settings.ts'
import { checkpointOf, changeOf } from './spaces.ts'
import { rowOf, shownItem } from './stored-item.ts'
import { ROWS, type Db, type StoredRow, type StoredState } from './tables.ts'

const PAGE = 1_000
// A full read is faster above this number.
const MAX_CHANGED = 5_000

export async function* readRows(
  db: Db,
  state: StoredState,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { space, change_no: change } = state
  const end = {
    complete: true,
    provesAbsence: true,
    account: accountOf(space),
    checkpoint: checkpointOf(space, change),
  } as const
  const since = changeOf(request.since, space)
  if (since === change) {
    yield { type: 'end', end: { ...end, semantics: 'unchanged' } }
    return
  }
  // Changes before the floor have been pruned.
  const isRetained = since !== undefined && since <= change && since >= state.floor_no
  const units = isRetained ? await changedUnits(db, state, since, unitOf(request)) : undefined
  if (since === undefined || units === undefined) {
    yield* readAll(db, state, request, signal)
    return
  }
  const { rows, deleted } = await changesOf(db, state, request, since, units)
  for (const part of chunked(rows)) yield { type: 'rows', rows: part }
  yield { type: 'end', end: { ...end, semantics: 'delta', deleted } }
}

export function accountOf(space: string): string {
  return `svc/${space}`
}

// All pages read the same version, even during concurrent writes.
function readAll(db: Db, state: StoredState, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
  const { space, change_no: change } = state
  const feature = state.feature as Tracked
  const unit = unitOf(request)
  const wanted = () => {
    const versions = versionsAt(db, space, feature, change)
    return request.kinds === undefined ? versions : versions.where('r.kind', 'in', request.kinds)
  }
  const count = async () => {
    const found = await wanted()
      .select((eb) => eb.fn.count(`r.${unit}`).distinct().as('total'))
      .executeTakeFirstOrThrow()
    return Number(found['total'])
  }
  const nextPage = unit === 'row_key' ? pageOfRows(wanted) : pageOfWorks(wanted)
  return pagedRead({
    account: accountOf(space),
    signal,
    checkpoint: checkpointOf(space, change),
    provesAbsence: true,
    async fetchPage({ index, cursor }) {
      if (signal.aborted) throw new PlayheadError('PLH_ABORTED', 'The read was cancelled.')
      const { rows, next } = await nextPage(cursor)
      return {
        ...(index > 0 ? {} : { total: await count() }),
        rows: rows.map((row) => shownItem(feature, rowOf(row))),
        ...defined({ next }),
      }
    },
  })
}

type Versions = ReturnType<typeof versionsAt>
type NextPage = (cursor: string | undefined) => Promise<{ readonly rows: readonly StoredRow[]; readonly next?: string }>

function pageOfRows(wanted: () => Versions): NextPage {
  return async (cursor) => {
    const rows = (await wanted()
      .selectAll('r')
      .where('r.id', '>', Number(cursor ?? 0))
      .orderBy('r.id')
      .limit(PAGE)
      .execute()) as unknown as readonly StoredRow[]
    return { rows, ...(rows.length < PAGE ? {} : { next: String(rows.at(-1)?.id) }) }
  }
}

// Plays of a work are adjacent; the last one represents it. The last work of a page may continue, so the next page
// starts with it.
function pageOfWorks(wanted: () => Versions): NextPage {
  return async (cursor = '') => {
    const latest = new Map<string, StoredRow>()
    let from = { group: cursor, atMs: -1, id: -1 }
    for (;;) {
      const { group, atMs, id } = from
      const rows = (await wanted()
        .selectAll('r')
        .where((eb) =>
          eb.or([
            eb('r.row_group', '>', group),
            eb.and([
              eb('r.row_group', '=', group),
              eb.or([eb('r.at_ms', '>', atMs), eb.and([eb('r.at_ms', '=', atMs), eb('r.id', '>', id)])]),
            ]),
          ]),
        )
        .where('r.row_group', '>=', group)
        .orderBy('r.row_group')
        .orderBy('r.at_ms')
        .orderBy('r.id')
        .limit(PAGE)
        .execute()) as unknown as readonly StoredRow[]
      for (const row of rows) latest.set(row.row_group, row)
      const last = rows.at(-1)
      if (rows.length < PAGE || last === undefined) return { rows: [...latest.values()] }
      if (latest.size > 1) {
        latest.delete(last.row_group)
        return { rows: [...latest.values()], next: last.row_group }
      }
      // More plays of one work than fit in a page.
      from = { group: last.row_group, atMs: Number(last.at_ms), id: last.id }
    }
  }
}

type Unit = 'row_key' | 'row_group'

/** Plays are separate rows, or all plays of a work are one row. */
function unitOf({ feature, plays }: ReadRequest): Unit {
  return feature === 'history' && plays !== true ? 'row_group' : 'row_key'
}

async function changedUnits(
  db: Db,
  { space, feature, change_no: change }: StoredState,
  since: number,
  unit: Unit,
): Promise<readonly string[] | undefined> {
  const rows = await db
    .selectFrom(ROWS)
    .select(unit)
    .distinct()
    .where('space', '=', space)
    .where('feature', '=', feature)
    .where((eb) =>
      eb.or([
        eb.and([eb('added_change', '>', since), eb('added_change', '<=', change)]),
        eb.and([eb('removed_change', '>', since), eb('removed_change', '<=', change)]),
      ]),
    )
    .limit(MAX_CHANGED + 1)
    .execute()
  return rows.length > MAX_CHANGED ? undefined : rows.map((row) => String(row[unit]))
}

async function changesOf(
  db: Db,
  state: StoredState,
  request: ReadRequest,
  since: number,
  units: readonly string[],
): Promise<{ readonly rows: readonly Item[]; readonly deleted: readonly Item[] }> {
  const unit = unitOf(request)
  const now = await latestOf(db, state, state.change_no, unit, units)
  const then = await latestOf(
    db,
    state,
    since,
    unit,
    units.filter((one) => !now.has(one)),
  )
  const shown = (rows: ReadonlyMap<string, StoredRow>) =>
    [...rows.values()]
      .filter(({ kind }) => request.kinds === undefined || (request.kinds as readonly string[]).includes(kind))
      .map((row) => shownItem(state.feature as Tracked, rowOf(row)))
  return { rows: shown(now), deleted: shown(then) }
}

async function latestOf(
  db: Db,
  { space, feature }: StoredState,
  change: number,
  unit: Unit,
  units: readonly string[],
): Promise<ReadonlyMap<string, StoredRow>> {
  const latest = new Map<string, StoredRow>()
  for (const part of chunked(units)) {
    const rows = (await versionsAt(db, space, feature as Tracked, change)
      .where(`r.${unit}`, 'in', part)
      .selectAll('r')
      .orderBy('r.at_ms')
      .orderBy('r.id')
      .execute()) as unknown as readonly StoredRow[]
    for (const row of rows) latest.set(row[unit], row)
  }
  return latest
}
