// Complete reads of the lists of a mapping, in the form that the policy uses.
import {
  accountName,
  defined,
  isPlayheadError,
  type ListEntry,
  type ListKindSupport,
  type ListName,
  type ListRead,
  type ProviderDescription,
  type ReadList,
} from '@playhead/sdk'
import { canReorder, listOf, supportOf } from '../config/lists.ts'
import type { Parts } from '../parts.ts'
import type { Endpoint } from '../settings.ts'
import { providerError } from './failures.ts'

const MAX_TRIES = 3

/** One list of a mapping. */
export interface Side {
  readonly endpoint: Endpoint
  readonly role: 'source' | 'target'
  readonly support: ListKindSupport | undefined
  /** Null if the list is created with its first item. */
  readonly list: ListName | null
  readonly read: ListRead | null
  readonly entries: ReadList
}

export async function readSide(
  { lists }: Parts,
  endpoint: Endpoint,
  role: Side['role'],
  descriptions: readonly ProviderDescription[],
  signal: AbortSignal,
): Promise<Side> {
  const list = listOf(endpoint)
  const description = descriptions.find(({ id }) => id === endpoint.provider)
  const support = supportOf(description, list?.kind ?? endpoint.playlist_type)
  signal.throwIfAborted()
  if (list === null) return { endpoint, role, support, list, read: null, entries: emptyList(endpoint, support) }
  for (let tries = 1; ; tries += 1) {
    try {
      const read = await lists.read(list, signal)
      const entries: ListEntry[] = []
      for await (const page of lists.entries(read.readId)) entries.push(...page)
      return { endpoint, role, support, list, read, entries: toReadList(endpoint.id, read, support, entries) }
    } catch (error) {
      if (!isReplaced(error) || tries === MAX_TRIES) throw providerError(error, endpoint, role)
    }
  }
}

/** Another run read the list meanwhile. */
export function isReplaced(error: unknown): boolean {
  return isPlayheadError(error, 'PLH_NOT_FOUND') && error.wire === 'list_read_not_found'
}

/** Reads all lists of a mapping: sequentially within an account, concurrently across accounts. */
export async function readSides(
  parts: Parts,
  source: Endpoint,
  targets: readonly Endpoint[],
  signal: AbortSignal,
): Promise<{ readonly source: Side; readonly targets: readonly Side[] }> {
  const descriptions = await parts.accounts.providers()
  const readTargets = async () => {
    const sides: Side[] = []
    for (const target of targets) sides.push(await readSide(parts, target, 'target', descriptions, signal))
    return sides
  }
  const readSource = () => readSide(parts, source, 'source', descriptions, signal)
  if (isSameAccount(source, targets[0])) return { source: await readSource(), targets: await readTargets() }
  const [own, others] = await Promise.all([readSource(), readTargets()])
  return { source: own, targets: others }
}

export function isSameAccount(a: Endpoint, b: Endpoint | undefined): boolean {
  return b !== undefined && accountName(a.provider, a.instance) === accountName(b.provider, b.instance)
}

function toReadList(
  id: string,
  { list, unreadable }: ListRead,
  support: ListKindSupport | undefined,
  entries: readonly ListEntry[],
): ReadList {
  return {
    id,
    entries,
    unreadable: unreadable.length,
    kinds: list.kinds,
    duplicates: list.duplicates,
    canAdd: list.can.includes('add'),
    canRemove: list.can.includes('remove'),
    canMove: canReorder(list),
    ...defined({ needsAnyId: support?.needsAnyId }),
  }
}

function emptyList({ id, media_types: kinds }: Endpoint, support: ListKindSupport | undefined): ReadList {
  const can = (op: 'add' | 'remove' | 'move') => support?.can.includes(op) === true
  return {
    id,
    entries: [],
    unreadable: 0,
    kinds: support?.kinds ?? kinds,
    duplicates: support?.duplicates ?? false,
    canAdd: can('add'),
    canRemove: can('remove'),
    canMove: support?.ordered === true && can('move'),
    ...defined({ needsAnyId: support?.needsAnyId }),
  }
}
