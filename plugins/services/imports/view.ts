// An import in the form of the responses.
import { labelledReasons, PlayheadError } from '@playhead/sdk'
import type { Parts } from './parts.ts'
import { notUndoneOf } from './run.ts'
import type { ImportState, RunRecord } from './thread/queries.ts'

const ACTIVE = new Set(['comparing', 'running', 'undoing'])

/** Throws `PLH_NOT_FOUND` (`import_not_found`). */
export async function requireImport({ work }: Pick<Parts, 'work'>, id: string): Promise<ImportState> {
  const found = await work.find(id)
  if (found !== null) return found
  throw new PlayheadError('PLH_NOT_FOUND', 'This import does not exist. Upload the file again.', {
    wire: 'import_not_found',
  })
}

/** Throws `PLH_CONFLICT` (`busy`). */
export function requireIdle({ jobs }: Pick<Parts, 'jobs'>, id: string): void {
  if (jobs.isActive(id))
    throw new PlayheadError('PLH_CONFLICT', 'This import is being written.', {
      wire: 'busy',
      details: { holder: 'import' },
    })
}

function isAbandoned({ jobs }: Pick<Parts, 'jobs'>, { id, state }: Pick<ImportState, 'id' | 'state'>): boolean {
  return ACTIVE.has(state) && !jobs.isActive(id)
}

/** Whether a run ended after the import was read, so that its data are outdated. */
export function isOutdated(parts: Pick<Parts, 'jobs'>, all: readonly ImportState[]): boolean {
  return all.some((one) => isAbandoned(parts, one))
}

export function headOf({ jobs }: Pick<Parts, 'jobs'>, { id, created_at, about, state, run }: ImportState) {
  return {
    import_id: id,
    format: about.format,
    label: about.label,
    name: about.name,
    bytes: about.bytes,
    created_at,
    // The service was restarted or the plugin was replaced, so no run is active.
    state: isAbandoned({ jobs }, { id, state }) ? 'interrupted' : state,
    run: run === null ? null : runOf(run),
  }
}

function runOf(run: RunRecord) {
  const { not_undone: counts, left_to_undo } = notUndoneOf(run)
  const { written: _, ...shown } = run
  return { ...shown, not_undone: labelledReasons(counts), left_to_undo }
}

export async function viewOf(parts: Pick<Parts, 'work' | 'jobs'>, id: string) {
  const read = async () => ({ found: await requireImport(parts, id), counts: await parts.work.counts(id) })
  let now = await read()
  if (isOutdated(parts, [now.found])) now = await read()
  const {
    found,
    counts: { rows, persons, titles },
  } = now
  const features: Record<string, Record<'rows' | 'matched' | 'ambiguous' | 'unmatched', number>> = {}
  const plan: Record<string, Record<string, number>> = {}
  const reasons: Record<string, number> = {}
  const outcomes: Record<string, number> = {}
  const total = { rows: 0, matched: 0, ambiguous: 0, unmatched: 0 }
  for (const { feature, state, plan: decided, reason, outcome, count } of rows) {
    const own = (features[feature] ??= { rows: 0, matched: 0, ambiguous: 0, unmatched: 0 })
    for (const counts of [own, total]) {
      counts.rows += count
      counts[state as 'matched'] += count
    }
    if (decided !== null) {
      const ofFeature = (plan[feature] ??= {})
      ofFeature[decided] = (ofFeature[decided] ?? 0) + count
    }
    if (reason !== null && !reason.startsWith('undated_as:')) reasons[reason] = (reasons[reason] ?? 0) + count
    if (outcome !== null) outcomes[outcome] = (outcomes[outcome] ?? 0) + count
  }
  return {
    ok: true,
    ...headOf(parts, found),
    ...total,
    features,
    reasons,
    titles,
    persons: persons.map(({ person, count }) => ({ name: person, rows: count })),
    skipped: found.about.skipped,
    warnings: found.about.warnings,
    plan,
    outcomes,
  }
}
