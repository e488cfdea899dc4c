// Sends changes of entries, ten per request, with one outcome each.
import type { ItemOutcome, Static, TSchema } from '@playhead/sdk'
import { change, type Changed, type GraphError } from '../graphql.ts'
import type { Session } from '../session.ts'
import { Deleted, listsOf, Saved } from '../wire.ts'

/** AniList counts each change towards the complexity of a request. */
export const CHANGES_OF_A_REQUEST = 10

export type Change =
  | {
      readonly save: {
        readonly mediaId: number
        readonly status?: string
        readonly scoreRaw?: number
        readonly customLists?: readonly string[]
      }
    }
  | { readonly remove: { readonly entryId: number } }

const TYPES: Readonly<Record<string, string>> = {
  mediaId: 'Int',
  status: 'MediaListStatus',
  scoreRaw: 'Int',
  customLists: '[String]',
  id: 'Int',
}
const SAVED = '{ id mediaId status score(format: POINT_100) customLists(asArray: true) }'

/**
 * Returns one outcome per change, in order. Throws if no change was made or the result is unknown. At most `CHANGES_OF_A_REQUEST`
 * changes of one type.
 */
export async function makeChanges(
  session: Session,
  changes: readonly Change[],
  repeatable: boolean,
  signal: AbortSignal,
): Promise<ItemOutcome[]> {
  const isRemoval = changes.some((one) => 'remove' in one)
  const variables: Record<string, unknown> = {}
  const declared: string[] = []
  const fields = changes.map((one, index) => {
    const values: Readonly<Record<string, unknown>> = 'save' in one ? one.save : { id: one.remove.entryId }
    const args = Object.entries(values)
      .map(([name, value]) => {
        variables[`${name}${index}`] = value
        declared.push(`$${name}${index}: ${TYPES[name]}`)
        return `${name}: $${name}${index}`
      })
      .join(', ')
    return isRemoval
      ? `c${index}: DeleteMediaListEntry(${args}) { deleted }`
      : `c${index}: SaveMediaListEntry(${args}) ${SAVED}`
  })
  const operation = { query: `mutation (${declared.join(', ')}) { ${fields.join(' ')} }`, variables }
  const run = <Field extends TSchema>(field: Field): Promise<Changed<Static<Field>>> =>
    change(session.upstream, operation, field, repeatable, signal)
  if (isRemoval) {
    const { data, errors } = await run(Deleted)
    return changes.map((_, index) => {
      const result = data[`c${index}`]
      if (result?.deleted === true) return { outcome: 'applied' }
      // The person or another client has already removed the entry.
      return result != null
        ? { outcome: 'unknown', reason: 'not_confirmed' }
        : asAlready(verdictOf(errors, `c${index}`))
    })
  }
  const { data, errors } = await run(Saved)
  return changes.map((one, index) => {
    const result = data[`c${index}`]
    if (result == null) return verdictOf(errors, `c${index}`)
    return matches(result, one)
      ? { outcome: 'applied', native: { item_id: String(result.id) } }
      : { outcome: 'unknown', reason: 'not_confirmed' }
  })
}

/** Whether the response has the requested values. */
function matches(result: Saved, one: Change): boolean {
  if (!('save' in one)) return false
  const { mediaId, status, scoreRaw, customLists } = one.save
  const hasStatus = status === undefined || result.status === status
  const hasScore = scoreRaw === undefined || (result.score ?? 0) === scoreRaw
  const hasLists = customLists === undefined || isSameSet(listsOf(result) ?? [], customLists)
  return result.mediaId === mediaId && hasStatus && hasScore && hasLists
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one))
}

function asAlready(outcome: ItemOutcome): ItemOutcome {
  return outcome.outcome === 'not_found' ? { outcome: 'already' } : outcome
}

/** Outcome of a change without a result. */
function verdictOf(errors: readonly GraphError[], field: string): ItemOutcome {
  const own = errors.filter((error) => error.field === field)
  // Errors without a field only count if they all agree.
  const about = own.length > 0 ? own : errors.filter((error) => error.field === undefined)
  const statuses = new Set(about.map(({ status }) => status))
  const [status] = statuses
  if (statuses.size !== 1 || status === undefined) return { outcome: 'unknown', reason: 'not_confirmed' }
  if (status === 429) return { outcome: 'rate_limited', reason: 'rate_limited' }
  if (status === 401) return { outcome: 'failed', reason: 'unauthorized' }
  if (status === 403) return { outcome: 'failed', reason: 'service_unavailable' }
  if (status === 404) return { outcome: 'not_found', reason: 'not_found' }
  return { outcome: status >= 400 && status < 500 ? 'rejected' : 'unknown', reason: `http_${status}` }
}
