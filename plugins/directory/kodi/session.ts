// A signed-in box: its identity, and lists that the features of a run share.
import { isTimeZone, type UpstreamSocket } from '@playhead/sdk'
import { type AccountContext, createKeyedCache, createMemo, type KeyedCache, type Memo } from '@playhead/sdk/provider'
import { createWorks, type Entry, showItem, type ShowFacts, type Works } from './items.ts'
import { list, type Listing, type ShowsById } from './library.ts'
import { isAbsent, openRpc, type Rpc } from './rpc.ts'
import type { Profile } from './settings.ts'
import { Booleans, Labels, Setting, SHOW_FIELDS, ShowDetails } from './wire.ts'

const SHARED_MS = 10 * 60_000
/** Until the next run: then the account is compared again. */
const RUN_MS = 24 * 3_600_000
const SCANNING = 'Library.IsScanningVideo'
const PROFILE = 'System.ProfileName'
const NAME = 'System.FriendlyName'

/** Facts that rarely change. */
interface Box {
  /** Stable id; the address where the box names none. */
  readonly id: string
  /** The time zone of `lastplayed`. */
  readonly zone: string
}

/** The box at one moment. */
interface BoxState extends Box {
  /** As `ReadEnd.account`: each profile of a box has a library of its own. */
  readonly account: string
  readonly name: string
  /** Kodi is scanning files, so that the library is incomplete. */
  readonly isScanning: boolean
}

/** A list by works. */
export interface Index {
  readonly works: Works<Entry>
  /** As `Listing.flaw`. */
  readonly flaw: string | undefined
}

export interface Session {
  readonly account: AccountContext<Profile>
  readonly rpc: Rpc
  /** As it is now. */
  state(signal?: AbortSignal): Promise<BoxState>
  /** As it was at the beginning of a run. */
  readonly known: Memo<BoxState>
  /** All shows, for the ids of the shows of episodes. */
  readonly shows: Memo<Listing>
  readonly index: { readonly [kind in 'movie' | 'show']: Memo<Index> }
  /** Single shows by Kodi's id. */
  readonly showFacts: KeyedCache<ShowFacts>
  /** Drops what may have changed since the last run. */
  refresh(): void
  /** The socket of Kodi's notifications. Undefined: there is no address for it. */
  readonly events: ((signal: AbortSignal) => Promise<UpstreamSocket>) | undefined
}

export function openSession(account: AccountContext<Profile>): Session {
  const { profile } = account
  const rpc = openRpc(account)
  const options = (signal: AbortSignal) => ({ pageSize: profile.page_size, signal })
  const memo = <Value>(load: (signal: AbortSignal) => Promise<Value>, ttlMs = SHARED_MS) =>
    createMemo({ load, ttlMs, now: Date.now })

  const box = memo(async (signal): Promise<Box> => {
    const id = await settingOf(rpc, 'services.deviceuuid', signal)
    const zone = await settingOf(rpc, 'locale.timezone', signal)
    return { id: id || new URL(profile.server).host, zone: isTimeZone(zone) ? zone : profile.time_zone }
  })
  async function state(signal?: AbortSignal): Promise<BoxState> {
    const { id, zone } = await box.get(signal)
    const labels = await rpc.call('XBMC.GetInfoLabels', { labels: [PROFILE, NAME] }, Labels, signal)
    const booleans = await rpc.call('XBMC.GetInfoBooleans', { booleans: [SCANNING] }, Booleans, signal)
    const account = `${id}/${labels[PROFILE] || 'Master user'}`
    return { id, zone, account, name: labels[NAME] || 'Kodi', isScanning: booleans[SCANNING] === true }
  }
  const known = memo(state, RUN_MS)
  const shows = memo((signal) => list(rpc, 'show', options(signal)))
  const index = {
    movie: memo(async (signal) => indexOf(await list(rpc, 'movie', options(signal)))),
    show: memo(async (signal) => indexOf(await shows.get(signal))),
  }

  return {
    account,
    rpc,
    state,
    known,
    shows,
    index,
    showFacts: createKeyedCache({ load: (ids, signal) => readShows(rpc, ids, signal) }),
    refresh() {
      for (const one of [box, known, shows, index.movie, index.show]) one.drop()
    },
    events: profile.events_server === '' ? undefined : (signal) => openEvents(account, signal),
  }
}

/** `''` if the box does not have the setting. */
export async function settingOf(rpc: Rpc, setting: string, signal: AbortSignal): Promise<string> {
  try {
    const { value } = await rpc.call('Settings.GetSettingValue', { setting }, Setting, signal)
    return typeof value === 'string' ? value.trim() : ''
  } catch (error) {
    if (isAbsent(error)) return ''
    throw error
  }
}

export function showsById({ entries }: Listing): ShowsById {
  return new Map(entries.map(({ id, item }) => [id, item]))
}

export function indexOf({ entries, flaw }: Listing): Index {
  return { works: createWorks(entries), flaw }
}

async function readShows(
  rpc: Rpc,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, ShowFacts>> {
  const found = new Map<string, ShowFacts>()
  for (const id of ids) {
    try {
      const ask = { tvshowid: Number(id), properties: SHOW_FIELDS }
      const { tvshowdetails } = await rpc.call('VideoLibrary.GetTVShowDetails', ask, ShowDetails, signal)
      found.set(id, showItem(tvshowdetails))
    } catch (error) {
      if (!isAbsent(error)) throw error
    }
  }
  return found
}

/** The port takes no credential, so that none is sent to it. */
function openEvents({ ctx, name, profile }: AccountContext<Profile>, signal: AbortSignal): Promise<UpstreamSocket> {
  const api = ctx.upstream.account({ account: `${name}/events`, baseUrl: profile.events_server })
  return api.socket({ path: 'jsonrpc', signal })
}
