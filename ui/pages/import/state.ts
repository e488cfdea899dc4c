// An import as the service tells it, and the calls of its pages.
import { fetchSignedIn, type Answer } from '../../api/client.ts'
import { ApiError } from '../../api/error.ts'

export type Import = Answer<'GET /api/import/{import_id}'>
export type Title = Answer<'GET /api/import/{import_id}/titles'>['titles'][number]
export type Feature = 'watchlist' | 'history' | 'ratings' | 'progress'

export const isWorking = ({ state }: Pick<Import, 'state'>): boolean =>
  state === 'comparing' || state === 'running' || state === 'undoing'

/** Sends a file as it is; the service recognises what it is. */
export async function readFile(file: File): Promise<Import> {
  const form = new FormData()
  form.append('file', file)
  const answer = await fetchSignedIn('/api/import/preview', { method: 'POST', body: form })
  const body = (await answer.json().catch(() => null)) as unknown
  if (!answer.ok) throw new ApiError({ status: answer.status, body })
  return body as Import
}

/** Of all features: what the last comparison decided. */
export function planned({ plan }: Import): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const counts of Object.values(plan))
    for (const [what, n] of Object.entries(counts)) sums[what] = (sums[what] ?? 0) + n
  return sums
}
