// Finds the list that serves as the watchlist. A chosen list is never replaced silently.
import { PlayheadError } from '@playhead/sdk'
import { plainTitle } from '@playhead/sdk/items'
import { idText } from '@playhead/sdk/provider'
import { readAll } from './pages.ts'
import type { Session } from './session.ts'
import { type Fields, Written } from './wire.ts'

const CHOSEN = 'watchlist'

interface Chosen {
  readonly owner: string
  readonly id: string
}

/**
 * Id of the list; undefined when none exists and none was chosen. Throws `PLH_NOT_FOUND` (`watchlist_missing`) when the
 * chosen list is gone, `PLH_CONFLICT` (`watchlist_ambiguous`) for several candidates.
 */
export async function findWatchlist(session: Session, signal: AbortSignal): Promise<string | undefined> {
  const { account, owner } = session
  const { watchlist_list_id: configured, watchlist_name: name } = account.current()
  const lists = await readAll(session, '/lists', signal)
  const has = (id: string) => lists.some((list) => idText(list['id']) === id)
  if (configured !== '') return has(configured) ? configured : gone('The list in the settings no longer exists.')

  const mine = await owner()
  const chosen = await account.store.get<Chosen>(CHOSEN)
  if (chosen?.owner === mine) {
    return has(chosen.id)
      ? chosen.id
      : gone('The list of the watchlist was deleted. Choose another one in the settings.')
  }
  const id = pick(lists, name)
  if (id !== undefined) await account.store.set(CHOSEN, { owner: mine, id } satisfies Chosen)
  return id
}

/** Tests whether a list is, or could become, the watchlist. */
export async function watchlistTest({ account, owner }: Session): Promise<(list: Fields) => boolean> {
  const { watchlist_list_id: configured, watchlist_name: name } = account.current()
  if (configured !== '') return (list) => idText(list['id']) === configured
  const chosen = await account.store.get<Chosen>(CHOSEN)
  if (chosen !== undefined && chosen.owner === (await owner())) return (list) => idText(list['id']) === chosen.id
  return (list) => list['type'] === 'watchlist' || hasName(list, name)
}

/** Creates the list, if the settings allow it. */
export async function createWatchlist({ account, owner, upstream }: Session, signal: AbortSignal): Promise<string> {
  const { watchlist_auto_create: mayCreate, watchlist_name: name } = account.current()
  if (!mayCreate) gone('The account has no list for the watchlist, and the settings do not allow creating one.')
  const mine = await owner()
  const answer = await upstream.request({
    method: 'POST',
    path: '/lists',
    json: { name, description: 'Kept in sync by Playhead.', is_public: false, type: 'watchlist' },
    signal,
  })
  const id = idText((await answer.json(Written)).item?.['id'])
  if (id === undefined) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'PublicMetaDB did not return the id of the new list.', {
      details: { path: '/lists' },
    })
  }
  await account.store.set(CHOSEN, { owner: mine, id } satisfies Chosen)
  account.log.info({ account: account.name, list: id }, 'a list was created for the watchlist')
  return id
}

function hasName(list: Fields, name: string): boolean {
  return plainTitle(String(list['name'])) === plainTitle(name)
}

/** Matches by name, then by type, then by case-insensitive name. */
function pick(lists: readonly Fields[], name: string): string | undefined {
  const ways: readonly ((list: Fields) => boolean)[] = [
    (list) => list['name'] === name,
    (list) => list['type'] === 'watchlist',
    (list) => hasName(list, name),
  ]
  for (const isMeant of ways) {
    const found = lists.filter(isMeant).flatMap((list) => idText(list['id']) ?? [])
    if (found.length > 1) {
      throw new PlayheadError(
        'PLH_CONFLICT',
        'More than one list could be the watchlist. Choose one in the settings.',
        { wire: 'watchlist_ambiguous', details: { reason: 'watchlist_ambiguous' } },
      )
    }
    if (found.length === 1) return found[0]
  }
  return undefined
}

function gone(text: string): never {
  throw new PlayheadError('PLH_NOT_FOUND', text, {
    wire: 'watchlist_missing',
    details: { reason: 'watchlist_missing' },
  })
}
