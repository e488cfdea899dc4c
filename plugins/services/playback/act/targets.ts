// Parses the positions of a request. Only the identity of a position is used; all other client data about it are ignored.
import { PlayheadError } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'

export interface TargetName {
  /** The value from the request; `''` if absent. */
  readonly provider: string
  readonly instance: string
  readonly remoteId: string
  /** The target was not an object. */
  readonly isInvalid?: boolean
}

interface Wanted {
  readonly targets: readonly TargetName[]
  /** A single target at the root of the body. */
  readonly isSingle: boolean
}

export const MAX_TARGETS = 250

/** Throws `PLH_INVALID` if the body has no target. */
export function readTargets(body: Readonly<Record<string, unknown>>): Wanted {
  const { items } = body
  if (items === undefined) return { targets: [targetOf(body, {})], isSingle: true }
  if (!Array.isArray(items) || items.length === 0)
    throw new PlayheadError('PLH_INVALID', 'Send the positions as a list: items.', { wire: 'invalid_item' })
  return { targets: items.map((item: unknown) => targetOf(item, body)), isSingle: false }
}

/** @param context provider and profile for targets without their own */
function targetOf(target: unknown, context: Readonly<Record<string, unknown>>): TargetName {
  if (!isRecord(target)) return { provider: '', instance: '', remoteId: '', isInvalid: true }
  const record = isRecord(target['record']) ? target['record'] : {}
  const read = (name: string) => [target, record, context].map((from) => textOf(from[name])).find((text) => text !== '')
  return {
    provider: read('provider') ?? '',
    instance: read('instance_id') ?? 'default',
    remoteId: [target, record].map((from) => textOf(from['remote_id'])).find((text) => text !== '') ?? '',
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value.trim() : ''
}
