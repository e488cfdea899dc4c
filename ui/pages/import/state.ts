// An import as the service returns it.
import type { Answer } from '../../api/client.ts'

export type Import = Answer<'GET /api/import/{import_id}'>
export type Title = Answer<'GET /api/import/{import_id}/titles'>['titles'][number]
export type Feature = 'watchlist' | 'history' | 'ratings' | 'progress'

export const isWorking = ({ state }: Pick<Import, 'state'>): boolean =>
  state === 'comparing' || state === 'running' || state === 'undoing'

/** Counts of all features from the last comparison. */
export function planned({ plan }: Import): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const counts of Object.values(plan))
    for (const [what, n] of Object.entries(counts)) sums[what] = (sums[what] ?? 0) + n
  return sums
}
