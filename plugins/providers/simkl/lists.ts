// The five library statuses as fixed lists. An entry has one status, so adding means moving; removing means deleting
// the entry with its history.
import { PlayheadError } from '@playhead/sdk'
import {
  isWanted,
  type ListDefinition,
  type ListFacts,
  type ListItem,
  type ListReadPart,
  type ListReadRequest,
  type ListWriteRequest,
  readEnd,
  rowParts,
  timeAt,
  type WriteResult,
} from '@playhead/sdk/provider'
import { PARTS, type Status, STATUSES } from './read/entries.ts'
import { unreadableOf } from './read/library.ts'
import { workOf } from './items.ts'
import { removeEntries } from './write/remove-entries.ts'
import type { Session } from './session.ts'
import { isOnList, moveTo } from './write/status.ts'

const FACTS: Readonly<Record<Status, Omit<ListFacts, 'id' | 'kind'>>> = {
  plantowatch: { title: 'Plan to watch', readOnly: 'watchlist' },
  // Films are either watched or not.
  watching: { title: 'Watching', kinds: ['show'] },
  // Adding here would mark a work as watched now; the history does that with its time.
  completed: { title: 'Completed', cannot: ['add'] },
  hold: { title: 'On hold', kinds: ['show'] },
  dropped: { title: 'Dropped' },
}

export const LISTS: ListDefinition<Session> = {
  support: {
    status: {
      can: ['add', 'remove'],
      kinds: ['movie', 'show'],
      needsAnyId: ['trackb', 'imdb', 'tmdb', 'tvdb', 'mal', 'anidb', 'anilist', 'kitsu'],
      ordered: false,
      duplicates: false,
      byEntry: false,
      maxBatch: 100,
      exclusive: ['status'],
      losses: { remove: ['status', 'history'] },
    },
  },
  all: async () => STATUSES.map((id): ListFacts => ({ id, kind: 'status', ...FACTS[id] })),
  read: readList,
  write: writeList,
}

async function* readList(
  session: Session,
  request: ListReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ListReadPart> {
  const status = statusOf(request.list.id)
  const { account } = await session.facts.get()
  const { parts, flaw } = await session.library.refresh(signal)
  const rows = PARTS.flatMap((part) => [...parts[part].entries.values()])
    .filter((entry) => entry.status === status)
    .map((entry): ListItem => ({ ...workOf(entry), ...timeAt('added_at', entry.addedAt) }))
    .filter((item) => isWanted(item, request))
  yield* rowParts(rows)
  yield readEnd({ account, reason: flaw, unreadable: unreadableOf(parts) })
}

function writeList(
  session: Session,
  { list, op, items, confirm = [] }: ListWriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const status = statusOf(list.id)
  if (op === 'remove') return removeEntries(session, status, items, signal)
  return moveTo(
    session,
    status,
    (state) =>
      isOnList(state) && !confirm.includes('status')
        ? { outcome: 'rejected', reason: 'confirmation_required' }
        : undefined,
    items,
    signal,
  )
}

function statusOf(id: string): Status {
  const found = STATUSES.find((one) => one === id)
  if (found === undefined) throw new PlayheadError('PLH_NOT_FOUND', 'SIMKL has no such list.', { wire: 'list_missing' })
  return found
}
