// Playlists of the media server, each owned by one account. Entries have their own ids, because an item can occur twice.
import type { UpstreamReply } from '../base/index.ts'
import { visibleItem } from './library.ts'
import type { Route } from './router.ts'
import { itemRow } from './rows.ts'
import { type Item, leavesOf, type Playlist, takeId } from './state.ts'
import { type AccountCall, container, present, type Row, seconds, serverError } from './wire.ts'

type Entry = Playlist['entries'][number]

export const playlistRoutes: readonly Route[] = [
  ['account', 'GET', '/playlists', listPlaylists],
  ['account', 'POST', '/playlists', createPlaylist],
  ['account', 'GET', '/playlists/:id', (call: AccountCall) => onPlaylist(call, (playlist) => show(call, playlist))],
  ['account', 'PUT', '/playlists/:id', (call: AccountCall) => onPlaylist(call, (playlist) => rename(call, playlist))],
  [
    'account',
    'DELETE',
    '/playlists/:id',
    (call: AccountCall) => onPlaylist(call, (playlist) => remove(call, playlist)),
  ],
  [
    'account',
    'GET',
    '/playlists/:id/items',
    (call: AccountCall) => onPlaylist(call, (playlist) => listEntries(call, playlist)),
  ],
  [
    'account',
    'PUT',
    '/playlists/:id/items',
    (call: AccountCall) => onOpen(call, (playlist) => addEntries(call, playlist)),
  ],
  [
    'account',
    'DELETE',
    '/playlists/:id/items/:entry',
    (call: AccountCall) => onOpen(call, (playlist) => removeEntry(call, playlist)),
  ],
  [
    'account',
    'PUT',
    '/playlists/:id/items/:entry/move',
    (call: AccountCall) => onOpen(call, (playlist) => moveEntry(call, playlist)),
  ],
]

function listPlaylists(call: AccountCall): UpstreamReply {
  // Films and episodes only: there is no music and no photo.
  const video = (call.query.get('playlistType') ?? 'video') === 'video'
  const own = [...call.state.playlists.values()].filter(({ accountId }) => video && accountId === call.account.id)
  const smart = call.query.get('smart')
  const found = own.filter((playlist) => smart === null || playlist.smart === (smart === '1'))
  return container(call, { of: found, row: (playlist) => playlistRow(call, playlist) })
}

function createPlaylist(call: AccountCall): UpstreamReply {
  const { state, account, query, nowMs } = call
  const title = query.get('title')
  const uri = query.get('uri')
  const items = uri === null ? [] : itemsOf(call, uri)
  // The stand-in does not support rules of smart lists.
  if (title === null || items === undefined || query.get('smart') === '1') return serverError(400)
  const ratingKey = String(takeId(state))
  const entries = items.map((item) => ({ id: takeId(state), ratingKey: item.ratingKey }))
  const playlist = {
    ratingKey,
    accountId: account.id,
    title,
    summary: '',
    smart: false,
    addedAtMs: nowMs,
    updatedAtMs: nowMs,
    entries,
  }
  state.playlists.set(ratingKey, playlist)
  return show(call, playlist)
}

function listEntries(call: AccountCall, playlist: Playlist): UpstreamReply {
  const { state, account } = call
  const withGuids = call.query.get('includeGuids') === '1'
  return container(call, {
    of: entriesOf(call, playlist),
    row: ({ id, ratingKey }) => ({
      ...itemRow(state, account, state.items.get(ratingKey) as Item, withGuids),
      playlistItemID: id,
    }),
    extra: { ratingKey: playlist.ratingKey, playlistType: 'video', title: playlist.title, smart: playlist.smart },
  })
}

function addEntries(call: AccountCall, playlist: Playlist): UpstreamReply {
  const items = itemsOf(call, call.query.get('uri') ?? '')
  if (items === undefined) return serverError(400)
  playlist.entries.push(...items.map(({ ratingKey }) => ({ id: takeId(call.state), ratingKey })))
  playlist.updatedAtMs = call.nowMs
  return show(call, playlist, { leafCountAdded: items.length, leafCountRequested: items.length })
}

function removeEntry(call: AccountCall, playlist: Playlist): UpstreamReply {
  const at = entryAt(playlist, call.params['entry'])
  if (at < 0) return serverError(404)
  playlist.entries.splice(at, 1)
  playlist.updatedAtMs = call.nowMs
  return show(call, playlist)
}

function moveEntry(call: AccountCall, playlist: Playlist): UpstreamReply {
  const after = call.query.get('after')
  const moved = playlist.entries[entryAt(playlist, call.params['entry'])]
  if (moved === undefined || (after !== null && entryAt(playlist, after) < 0)) return serverError(404)
  const others = playlist.entries.filter((entry) => entry !== moved)
  // Without a target position, the entry becomes the first.
  const place = after === null ? 0 : others.findIndex(({ id }) => String(id) === after) + 1
  playlist.entries = others.toSpliced(place, 0, moved)
  playlist.updatedAtMs = call.nowMs
  return show(call, playlist)
}

function rename(call: AccountCall, playlist: Playlist): UpstreamReply {
  playlist.title = call.query.get('title') ?? playlist.title
  playlist.summary = call.query.get('summary') ?? playlist.summary
  playlist.updatedAtMs = call.nowMs
  return { status: 200 }
}

function remove({ state }: AccountCall, { ratingKey }: Playlist): UpstreamReply {
  state.playlists.delete(ratingKey)
  return { status: 204 }
}

function show(call: AccountCall, playlist: Playlist, extra: Row = {}): UpstreamReply {
  return container(call, { of: [playlist], row: (one) => playlistRow(call, one), extra })
}

function playlistRow(call: AccountCall, playlist: Playlist): Row {
  const entries = entriesOf(call, playlist)
  const durations = entries.map(({ ratingKey }) => call.state.items.get(ratingKey)?.durationMs ?? 0)
  return present({
    ratingKey: playlist.ratingKey,
    key: `/playlists/${playlist.ratingKey}/items`,
    guid: `com.plexapp.agents.none://playlist-${playlist.ratingKey}`,
    type: 'playlist',
    title: playlist.title,
    summary: playlist.summary,
    smart: playlist.smart,
    playlistType: 'video',
    leafCount: entries.length,
    duration: durations.reduce((sum, ms) => sum + ms, 0),
    addedAt: seconds(playlist.addedAtMs),
    updatedAt: seconds(playlist.updatedAtMs),
  })
}

/** The items in `server://<machine>/com.plexapp.plugins.library/library/metadata/1,2`; undefined if one does not exist. */
function itemsOf({ state, account }: AccountCall, uri: string): Item[] | undefined {
  const match = /^server:\/\/([^/]+)\/com\.plexapp\.plugins\.library\/library\/metadata\/([\d,]+)$/.exec(uri)
  if (match === null || match[1] !== state.machineIdentifier) return undefined
  const found = (match[2] as string).split(',').map((ratingKey) => visibleItem(state, account, ratingKey))
  // A show is added as its episodes.
  return found.includes(undefined) ? undefined : found.flatMap((item) => leavesOf(state, item as Item))
}

/** The entries whose item is still in the library. */
function entriesOf({ state }: AccountCall, { entries }: Playlist): Entry[] {
  return entries.filter(({ ratingKey }) => state.items.has(ratingKey))
}

function entryAt({ entries }: Playlist, wanted: string | undefined): number {
  return entries.findIndex(({ id }) => String(id) === wanted)
}

/** Other accounts' lists do not exist for the caller. */
function onPlaylist(
  { state, account, params }: AccountCall,
  work: (playlist: Playlist) => UpstreamReply,
): UpstreamReply {
  const playlist = state.playlists.get(params['id'] as string)
  return playlist === undefined || playlist.accountId !== account.id ? serverError(404) : work(playlist)
}

/** Smart lists are read-only. */
function onOpen(call: AccountCall, work: (playlist: Playlist) => UpstreamReply): UpstreamReply {
  return onPlaylist(call, (playlist) => (playlist.smart ? serverError(400) : work(playlist)))
}
