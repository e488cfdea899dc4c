// Checks of reads: supported request, well-formed stream.
import { PlayheadError } from '../../errors.ts'
import type { Item } from '../../items/item.ts'
import { ITEM_TYPES, kindOf } from '../../items/kind.ts'
import type { Support } from '../contract.ts'
import type { ReadPart, ReadRequest } from './contract.ts'
import { FEATURES, type Feature } from '../features.ts'

/** Throws `PLH_UNSUPPORTED` for an unsupported read. */
export function checkReadRequest(providerId: string, support: Support, request: ReadRequest): void {
  const { feature, plays = false, kinds = [] } = request
  const can = support[feature as Feature]
  if (!FEATURES.includes(feature) || can?.read !== true)
    throw unsupported(`${providerId} cannot read ${feature}.`, feature)
  if (plays && can.plays?.read !== true) throw unsupported(`${providerId} cannot read single plays.`, feature)
  const unknown = kinds.find((kind) => !ITEM_TYPES.includes(kind))
  if (unknown !== undefined) throw unsupported(`There is no kind "${unknown}".`, feature)
}

/**
 * Passes the parts on. Throws `PLH_UPSTREAM_INVALID` for a missing end, parts after the end, or an end that contradicts
 * them.
 */
export async function* checkedParts<Row extends Item>(
  name: string,
  request: ReadRequest,
  parts: AsyncIterable<ReadPart<Row>>,
): AsyncGenerator<ReadPart<Row>> {
  let isEnded = false
  let rows = 0
  for await (const part of parts) {
    if (isEnded) throw broken(`${name}: the read of ${request.feature} goes on after its end.`)
    if (part.type === 'rows') {
      rows += part.rows.length
      if (part.rows.length === 0 && part.total === undefined) continue
      yield part
      continue
    }
    const { end } = part
    isEnded = true
    if (end.semantics !== 'present' && request.since === undefined)
      throw broken(`${name}: ${end.semantics} was answered to a read that asks for everything.`)
    if (end.semantics === 'unchanged' && rows > 0)
      throw broken(`${name}: ${rows} rows came, and then that nothing changed.`)
    if (end.semantics !== 'delta' && (end.deleted?.length ?? 0) > 0)
      throw broken(`${name}: deleted rows were named without a delta.`)
    if (end.account === '') throw broken(`${name}: the read does not say whose account it was.`)
    yield part
  }
  if (!isEnded) throw broken(`${name}: the read of ${request.feature} ended without its end.`)
}

function unsupported(message: string, feature: string): PlayheadError {
  return new PlayheadError('PLH_UNSUPPORTED', message, { details: { feature } })
}

function broken(message: string): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_INVALID', message)
}

/**
 * Validates the list. Throws `PLH_UPSTREAM_INVALID` for an entry that is not a show or has no id: it could not be
 * excluded.
 */
export function checkedShows(account: string, shows: readonly Item[]): readonly Item[] {
  if (shows.some((show) => kindOf(show) !== 'show' || Object.values(show.ids).every((id) => id === undefined))) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', `${account}: one of the dropped shows has no ids.`, {
      details: { reason: 'no_identity' },
    })
  }
  return shows
}
