// Looks up the account's state of single works right before a write.
import { PlayheadError } from '@playhead/sdk'
import type { Session } from '../session.ts'
import type { Target } from '../write/targets.ts'
import { LookedUp } from '../wire.ts'

/** One answer per target, in order. Throws `PLH_UPSTREAM_INVALID` when the answers do not match. */
export async function lookUp(
  { upstream }: Session,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<LookedUp[]> {
  const asked = targets.map(({ ids, group }) => ({ ...ids, type: group === 'movies' ? 'movie' : 'show' }))
  const found = await upstream.json(
    { method: 'POST', path: '/sync/watched', query: { extended: 'counters' }, json: asked, idempotent: true, signal },
    LookedUp,
  )
  if (found.length === targets.length && found.every((row, index) => isAnswerTo(row, asked[index] as object)))
    return found
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'SIMKL did not return an answer for each requested title.')
}

/** The answer echoes the ids of the question. */
function isAnswerTo(row: object, asked: object): boolean {
  return Object.entries(asked).every(([name, id]) => {
    const echoed: unknown = (row as Readonly<Record<string, unknown>>)[name]
    return echoed === undefined || name === 'type' || String(echoed) === String(id)
  })
}
