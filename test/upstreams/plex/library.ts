// Reads of the media server: its identity, its sections, and their items as the caller's account sees them.
import type { UpstreamReply } from '../base/index.ts'
import { paint } from '../base/paint.ts'
import { type Fields, select } from './operators.ts'
import { SERVER_VERSION } from './people.ts'
import type { Route } from './router.ts'
import { itemRow, mediaRows, summaryOf } from './rows.ts'
import { type Account, childrenOf, type Item, type ItemType, leavesOf, type PlexState } from './state.ts'
import { type AccountCall, answer, type Call, container, day, type Row, seconds, serverError } from './wire.ts'

const TYPES: Readonly<Record<string, ItemType>> = { 1: 'movie', 2: 'show', 3: 'season', 4: 'episode' }

export const libraryRoutes: readonly Route[] = [
  ['open', 'GET', '/identity', identity],
  ['owner', 'GET', '/accounts', accounts],
  ['account', 'GET', '/library/sections', sections],
  ['account', 'GET', '/library/sections/:key/all', sectionItems],
  [
    'owner',
    'GET',
    '/library/all',
    (call: AccountCall) => list(call, [...call.state.items.values()], TYPES[call.query.get('type') ?? '']),
  ],
  ['account', 'GET', '/library/metadata/:ids', details],
  ['account', 'GET', '/library/metadata/:id/children', children],
  ['account', 'GET', '/library/metadata/:id/allLeaves', allLeaves],
  ['account', 'GET', '/photo/:/transcode', transcodePhoto],
]

/** An item that the account may see. */
export function visibleItem(
  state: PlexState,
  account: Account,
  ratingKey: string | null | undefined,
): Item | undefined {
  const item = state.items.get(ratingKey ?? '')
  return item !== undefined && account.sections.includes(item.sectionKey) ? item : undefined
}

function identity(call: Call): UpstreamReply {
  const { machineIdentifier } = call.state
  return answer(call, 'MediaContainer', { size: 0, claimed: true, machineIdentifier, version: SERVER_VERSION })
}

function accounts(call: AccountCall): UpstreamReply {
  const row = ({ localId, title }: Account): Row => ({ id: localId, key: `/accounts/${localId}`, name: title })
  // The server lists an unnamed account of its own first.
  const nobody = { ...call.account, localId: 0, title: '' }
  const extra = { identifier: 'com.plexapp.system.accounts' }
  return container(call, { of: [nobody, ...call.state.accounts], row, name: 'Account', extra })
}

function sections(call: AccountCall): UpstreamReply {
  const seen = call.state.sections.filter(({ key }) => call.account.sections.includes(key))
  const agent = { movie: 'tv.plex.agents.movie', show: 'tv.plex.agents.series' }
  const scanner = { movie: 'Plex Movie', show: 'Plex TV Series' }
  return container(call, {
    of: seen,
    row: (section) => ({
      ...section,
      agent: agent[section.type],
      scanner: scanner[section.type],
      language: 'en-US',
      hidden: 0,
    }),
    name: 'Directory',
    extra: { allowSync: false, title1: 'Plex Library' },
  })
}

function sectionItems(call: AccountCall): UpstreamReply {
  const section = call.state.sections.find(
    ({ key }) => key === call.params['key'] && call.account.sections.includes(key),
  )
  if (section === undefined) return serverError(404)
  const asked = call.query.get('type')
  const type = asked === null ? section.type : TYPES[asked]
  if (type === undefined) return serverError(400)
  const items = [...call.state.items.values()].filter(({ sectionKey }) => sectionKey === section.key)
  return list(call, items, type, { librarySectionID: Number(section.key), librarySectionTitle: section.title })
}

function details(call: AccountCall): UpstreamReply {
  const asked = (call.params['ids'] as string).split(',')
  const found = asked.flatMap((key) => visibleItem(call.state, call.account, key) ?? [])
  if (found.length === 0) return serverError(404)
  const withMedia = !(call.query.get('excludeElements') ?? '').split(',').includes('Media')
  return container(call, {
    of: found,
    row: (item) => ({ ...itemRow(call.state, call.account, item, true), ...(withMedia ? mediaRows(item) : {}) }),
  })
}

function children(call: AccountCall): UpstreamReply {
  return under(call, ({ ratingKey }) => childrenOf(call.state, ratingKey))
}

function allLeaves(call: AccountCall): UpstreamReply {
  return under(call, (item) => leavesOf(call.state, item))
}

/** Scales an image of the server. */
function transcodePhoto(call: AccountCall): UpstreamReply {
  const [, key, art] = /^\/library\/metadata\/(\w+)\/(thumb|art)$/.exec(call.query.get('url') ?? '') ?? []
  const item = visibleItem(call.state, call.account, key)
  const [width, height] = [Number(call.query.get('width')), Number(call.query.get('height'))]
  if (art === undefined || item === undefined) return serverError(404)
  if (!(width > 0 && height > 0)) return serverError(400)
  const bytes = paint(`${item.type} ${item.title}`, Math.min(width, 2_000), Math.min(height, 3_000))
  return { status: 200, headers: { 'content-type': 'image/png' }, bytes }
}

function under(call: AccountCall, find: (item: Item) => Item[]): UpstreamReply {
  const item = visibleItem(call.state, call.account, call.params['id'])
  if (item === undefined) return serverError(404)
  return container(call, {
    of: find(item),
    row: (child) => itemRow(call.state, call.account, child, call.query.get('includeGuids') === '1'),
    extra: { key: item.ratingKey, librarySectionID: Number(item.sectionKey), parentTitle: item.title },
  })
}

function list(call: AccountCall, items: readonly Item[], type: ItemType | undefined, extra: Row = {}): UpstreamReply {
  const ofType = items.filter((item) => type === undefined || item.type === type)
  const found = select(ofType, call.query, fieldsFor(call.state, call.account), 'title')
  if (found === undefined) return serverError(400)
  const withGuids = call.query.get('includeGuids') === '1'
  return container(call, { of: found, row: (item) => itemRow(call.state, call.account, item, withGuids), extra })
}

function fieldsFor(state: PlexState, account: Account): Fields<Item> {
  const seen = (item: Item) => summaryOf(state, account, item)
  const secondsOrNone = (ms: number | undefined) => (ms === undefined ? undefined : seconds(ms))
  return {
    title: ({ title }) => title,
    titleSort: ({ title }) => title,
    guid: ({ guid }) => guid,
    year: ({ year }) => year,
    index: ({ index }) => index,
    duration: ({ durationMs }) => durationMs,
    addedAt: ({ addedAtMs }) => seconds(addedAtMs),
    updatedAt: ({ addedAtMs }) => seconds(addedAtMs),
    originallyAvailableAt: ({ premieredAtMs }) => (premieredAtMs === undefined ? undefined : day(premieredAtMs)),
    unwatched: (item) => !seen(item).watched,
    inProgress: (item) => seen(item).viewOffsetMs !== undefined,
    viewCount: (item) => seen(item).viewCount,
    viewOffset: (item) => seen(item).viewOffsetMs,
    lastViewedAt: (item) => secondsOrNone(seen(item).lastViewedAtMs),
    userRating: (item) => seen(item).userRating,
    lastRatedAt: (item) => secondsOrNone(seen(item).lastRatedAtMs),
  }
}
