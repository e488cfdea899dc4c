// Custom lists. They have names and no ids, and contain entries: a work without an entry needs a status first, which
// only the person can choose.
import { PlayheadError } from '@playhead/sdk'
import {
  type ItemOutcome,
  type List,
  type ListDefinition,
  type ListFacts,
  type ListReadPart,
  type ListReadRequest,
  type ListWriteRequest,
  type NewList,
  readEnd,
  rowParts,
  type Unreadable,
  wantedItems,
  type WriteResult,
} from '@playhead/sdk/provider'
import { CHANGES_OF_A_REQUEST } from './write/changes.ts'
import { change, errorOf } from './graphql.ts'
import { listItem } from './items.ts'
import type { Session } from './session.ts'
import { readListNames } from './viewer.ts'
import { type Found, listsOf, UpdatedUser } from './wire.ts'
import { type Decision, writeEntries } from './write/write.ts'

const SAVE_NAMES = `mutation ($options: MediaListOptionsInput) {
  UpdateUser(animeListOptions: $options) { id mediaListOptions { animeList { customLists } } }
}`

export const LISTS: ListDefinition<Session> = {
  support: {
    list: {
      can: ['add', 'remove', 'create', 'delete', 'clear'],
      kinds: ['movie', 'show'],
      needsAnyId: ['anilist', 'mal'],
      ordered: false,
      duplicates: false,
      byEntry: false,
      maxBatch: 50,
      losses: { delete: ['list', 'entries'], clear: ['entries'] },
    },
  },
  all: readAll,
  read: readList,
  write: writeList,
  create,
  delete: remove,
}

/** Callers need the current state, so the cache is skipped. */
async function readAll({ upstream, collection }: Session, signal: AbortSignal): Promise<readonly ListFacts[]> {
  collection.drop()
  return (await readListNames(upstream, signal)).map(factsOf)
}

function factsOf(name: string): ListFacts {
  return { id: name, kind: 'list', title: name }
}

async function* readList(
  { collection }: Session,
  request: ListReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ListReadPart> {
  signal.throwIfAborted()
  const { account, entries, ownLists, flaw, listsFlaw } = await collection.get()
  signal.throwIfAborted()
  const held = ownLists.get(request.list.id) ?? missing()
  const unreadable: Unreadable[] = []
  yield* rowParts(wantedItems(entries.filter(({ id }) => held.has(id)).map(listItem), request, unreadable))
  const reason = flaw ?? listsFlaw
  if (reason !== undefined) collection.drop()
  yield readEnd({ account, reason, unreadable })
}

/** Never retried: it sets all custom lists of an entry at once and could overwrite changes made meanwhile. */
async function writeList(
  session: Session,
  { list, op, items }: ListWriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  if (!(await readListNames(session.upstream, signal)).includes(list.id)) missing()
  const decide = (media: Found) => (op === 'remove' ? decideRemoval(media, list.id) : decideAdd(media, list.id))
  return writeEntries(session, items, { decide, together: CHANGES_OF_A_REQUEST, repeatable: false }, signal)
}

function decideAdd({ id: mediaId, mediaListEntry: entry }: Found, name: string): Decision {
  if (entry === null) return rejected('not_on_list')
  const own = listsOf(entry)
  if (own === undefined) return rejected('lists_unknown')
  if (own.includes(name)) return { outcome: { outcome: 'already', native: { item_id: String(entry.id) } } }
  return { change: { save: { mediaId, customLists: [...own, name] } } }
}

function decideRemoval({ id: mediaId, mediaListEntry: entry }: Found, name: string): Decision {
  if (entry === null) return { outcome: { outcome: 'already' } }
  const own = listsOf(entry)
  if (own === undefined) return rejected('lists_unknown')
  if (!own.includes(name)) return { outcome: { outcome: 'already' } }
  const customLists = own.filter((one) => one !== name)
  // The entry would not be visible anywhere.
  if (customLists.length === 0 && entry.hiddenFromStatusLists === true) return rejected('would_hide_entry')
  return { change: { save: { mediaId, customLists } } }
}

function rejected(reason: string): { readonly outcome: ItemOutcome } {
  return { outcome: { outcome: 'rejected', reason } }
}

async function create(session: Session, { title }: NewList, signal: AbortSignal): Promise<ListFacts> {
  const names = await readListNames(session.upstream, signal)
  if (names.includes(title)) {
    throw new PlayheadError(
      'PLH_CONFLICT',
      'A list with this name exists already, and AniList identifies lists by name.',
      { wire: 'list_exists' },
    )
  }
  await saveNames(session, [...names, title], signal)
  return factsOf(title)
}

/** The list existed a moment ago, so a missing list counts as deleted. */
async function remove(session: Session, { id }: List, signal: AbortSignal): Promise<void> {
  const names = await readListNames(session.upstream, signal)
  if (names.includes(id))
    await saveNames(
      session,
      names.filter((name) => name !== id),
      signal,
    )
}

/** Sets all names at once, so they are read just before: lists missing from the request are deleted. */
async function saveNames(
  { upstream, collection }: Session,
  customLists: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const {
    data: { UpdateUser: user },
    errors: [error],
  } = await change(
    upstream,
    { query: SAVE_NAMES, variables: { options: { customLists } } },
    UpdatedUser,
    false,
    signal,
  ).finally(() => collection.drop())
  if (user == null) throw errorOf(error ?? { status: undefined, field: undefined })
  const savedNames = new Set(user.mediaListOptions?.animeList?.customLists ?? [])
  if (savedNames.size === customLists.length && customLists.every((name) => savedNames.has(name))) return
  throw new PlayheadError('PLH_UPSTREAM', 'AniList did not confirm the lists as they were sent.', {
    details: { reason: 'not_confirmed' },
  })
}

function missing(): never {
  throw new PlayheadError('PLH_NOT_FOUND', 'AniList has no such list of this account.', { wire: 'list_missing' })
}
