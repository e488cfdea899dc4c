// The list operations of a provider: each call is checked, confirmed, batched and logged.
import type { Logger } from '../../logger.ts'
import { PlayheadError } from '../../errors.ts'
import { collectRead } from '../reads/collect-read.ts'
import type { WriteItem, WriteOutcome, WriteResult } from '../writes/contract.ts'
import {
  cannotDo,
  checkConfirmed,
  checkFirst,
  checkListOp,
  checkTitle,
  checkUnchanged,
  completeList,
  entryRefusal,
  supportOf,
} from './list-checks.ts'
import type {
  List,
  ListDefinition,
  ListItem,
  ListKindSupport,
  ListProvider,
  ListReadPart,
  ListReadRequest,
  ListRemoval,
  ListWriteRequest,
} from './lists.ts'
import { checkedParts } from '../reads/read-checks.ts'
import { untilCancelled, partsUntilCancelled, writeUntilCancelled } from '../until-cancelled.ts'
import { checkBatch, DEFAULT_MAX_BATCH, writeChecked } from '../writes/write-checks.ts'
import { defined } from '../../defined.ts'

interface ListDependencies<Session> {
  readonly providerId: string
  readonly log: Logger
  readonly definition: ListDefinition<Session> | undefined
  readonly nameOf: (instance: string) => string
  /** The session for reads, and for writes. Throws for an unconfigured profile, and for one that is held back. */
  readonly readable: (instance: string, signal: AbortSignal) => Promise<Session>
  readonly writable: (instance: string, signal: AbortSignal) => Promise<Session>
  /** Aborts with the caller's signal or the plugin. */
  readonly until: (signal: AbortSignal | undefined) => AbortSignal
}

export function createListProvider<Session>(deps: ListDependencies<Session>): ListProvider {
  const { providerId, log, definition, nameOf, readable, writable, until } = deps
  const support = definition?.support

  function defined(): ListDefinition<Session> {
    if (definition === undefined) throw new PlayheadError('PLH_UNSUPPORTED', `${providerId} has no lists.`)
    return definition
  }

  /** The implementation of a declared operation. */
  function doing<Name extends 'write' | 'create' | 'rename' | 'delete'>(
    name: Name,
  ): NonNullable<ListDefinition<Session>[Name]> {
    const does = definition?.[name]
    if (does === undefined)
      throw new TypeError(`${providerId} declares that it can ${name} lists, and has nothing that does.`)
    return does as NonNullable<ListDefinition<Session>[Name]>
  }

  async function lists(instance: string, signal?: AbortSignal): Promise<readonly List[]> {
    const { all, support: kinds } = defined()
    const end = until(signal)
    const session = await readable(instance, end)
    return (await untilCancelled(all(session, end), end)).map((facts) => completeList(providerId, kinds, facts))
  }

  async function* read(instance: string, request: ListReadRequest, signal?: AbortSignal): AsyncGenerator<ListReadPart> {
    supportOf(providerId, support, request.list.kind)
    const end = until(signal)
    const parts = defined().read(await readable(instance, end), request, end)
    yield* partsUntilCancelled(checkedParts(nameOf(instance), { feature: 'playlists' }, parts), end)
  }

  /** The current list. */
  async function fresh(instance: string, { id, kind }: List, signal: AbortSignal | undefined): Promise<List> {
    const found = (await lists(instance, signal)).find((one) => one.id === id && one.kind === kind)
    if (found === undefined)
      throw new PlayheadError('PLH_NOT_FOUND', `${providerId}: the list is not there any more.`, {
        wire: 'list_missing',
      })
    return found
  }

  /** The current list, if unchanged since the caller read it and all losses are confirmed. */
  async function removable(
    instance: string,
    op: 'delete' | 'clear',
    removal: ListRemoval,
    signal: AbortSignal | undefined,
  ): Promise<List> {
    const { list, count, confirm } = removal
    checkConfirmed(providerId, checkListOp(providerId, support, list, op), op, confirm)
    const now = await fresh(instance, list, signal)
    checkListOp(providerId, support, now, op)
    checkUnchanged(providerId, { title: list.title, count }, now)
    return now
  }

  /** All entries, as many as the caller expects. */
  async function entriesOf(
    instance: string,
    { list, count }: ListRemoval,
    signal: AbortSignal | undefined,
  ): Promise<readonly ListItem[]> {
    const { rows, end } = await collectRead(read(instance, { list }, signal))
    if (!end.complete) {
      throw new PlayheadError(
        'PLH_CONFLICT',
        `${providerId}: the list could not be read to its end, so nothing is removed.`,
        { wire: 'incomplete_read', details: { reason: end.reason ?? null } },
      )
    }
    checkUnchanged(providerId, { title: list.title, count }, { count: rows.length + (end.unreadable?.length ?? 0) })
    return rows
  }

  async function send(
    instance: string,
    can: ListKindSupport,
    request: ListWriteRequest,
    signal: AbortSignal | undefined,
  ): Promise<WriteResult> {
    const write = doing('write')
    const end = until(signal)
    const session = await writable(instance, end)
    const kinds = { ...can, kinds: request.list.kinds }
    return writeChecked(
      kinds,
      request,
      log,
      (checked) => writeUntilCancelled(checked, write(session, checked, end), end),
      (item) => entryRefusal(can, request.op, item),
    )
  }

  return {
    lists,

    readList: read,

    async writeList(instance, request, signal) {
      const { list, op, items, confirm = [] } = request
      const can = checkListOp(providerId, support, list, op)
      checkConfirmed(providerId, can, op, confirm)
      checkBatch(providerId, items, can.maxBatch)
      return send(instance, can, request, signal)
    },

    async createList(instance, list, signal) {
      const can = supportOf(providerId, support, list.kind)
      if (!can.can.includes('create')) throw cannotDo(providerId, list.kind, 'create')
      const title = checkTitle(can, list.title)
      checkFirst(can, list)
      const end = until(signal)
      const made = await untilCancelled(doing('create')(await writable(instance, end), { ...list, title }, end), end)
      return completeList(providerId, defined().support, made)
    },

    async renameList(instance, list, title, signal) {
      const can = checkListOp(providerId, support, list, 'rename')
      const checked = checkTitle(can, title)
      const end = until(signal)
      await untilCancelled(doing('rename')(await writable(instance, end), list, checked, end), end)
    },

    async deleteList(instance, removal, signal) {
      const list = await removable(instance, 'delete', removal, signal)
      if (list.count === undefined) await entriesOf(instance, removal, signal)
      const end = until(signal)
      await untilCancelled(doing('delete')(await writable(instance, end), list, end), end)
    },

    async clearList(instance, removal, signal) {
      const list = await removable(instance, 'clear', removal, signal)
      const can = checkListOp(providerId, support, list, 'remove')
      const rows = await entriesOf(instance, removal, signal)
      const items = rows.map(
        ({ position: _, ...item }, index): WriteItem => ({ key: String(index + 1), item, current: item }),
      )
      return removeAll(
        items,
        (batch) => send(instance, can, { list, op: 'remove', items: batch, confirm: removal.confirm }, signal),
        can,
      )
    },
  }
}

/** In batches, until the service asks to pause. */
async function removeAll(
  items: readonly WriteItem[],
  remove: (batch: readonly WriteItem[]) => Promise<WriteResult>,
  { maxBatch = DEFAULT_MAX_BATCH }: ListKindSupport,
): Promise<WriteResult> {
  const outcomes: WriteOutcome[] = []
  for (let from = 0; from < items.length; from += maxBatch) {
    const result = await remove(items.slice(from, from + maxBatch))
    outcomes.push(...result.outcomes)
    if (result.outcomes.every(({ outcome }) => outcome !== 'rate_limited')) continue
    outcomes.push(
      ...items.slice(from + maxBatch).map(({ key }) => ({ key, outcome: 'rate_limited', reason: 'deferred' }) as const),
    )
    return { outcomes, ...defined({ retryAfterMs: result.retryAfterMs }) }
  }
  return { outcomes }
}
