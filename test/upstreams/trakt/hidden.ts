// Dropped shows: Trakt hides them, and clients should not change their progress.
import { touch } from './activities.ts'
import type { Entry } from './catalogue.ts'
import type { Context } from './context.ts'
import { isFull, page, type Reply } from './replies.ts'
import type { Account } from './state.ts'
import { iso, summary } from './summary.ts'

export function readDropped({ account, request }: Context): Reply {
  const rows = [...account.dropped.values()].sort((a, b) => b.droppedAtMs - a.droppedAtMs)
  return page(
    request,
    rows.map(({ entry, droppedAtMs }) => ({ hidden_at: iso(droppedAtMs), ...summary(entry, isFull(request)) })),
  )
}

export function setDropped(account: Account, entry: Entry, isDropped: boolean, nowMs: number): void {
  if (isDropped) account.dropped.set(entry.key, { entry, droppedAtMs: nowMs })
  else account.dropped.delete(entry.key)
  touch(account, ['shows.dropped_at'], nowMs)
}
