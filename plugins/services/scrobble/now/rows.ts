// Converts sessions to sorted response rows, each session once.
import { orNull, oneOf, type Static, Type } from '@playhead/sdk'
import { type Ids, kindOf } from '@playhead/sdk/items'
import type { Shown } from './current.ts'
import type { PolledAccount } from './poll.ts'

const Text = Type.String()
const Whole = Type.Integer({ minimum: 0 })
const Seconds = (description: string) => Type.Integer({ description: `${description} Epoch seconds.` })

export const Row = Type.Object({
  _key: Type.String({ description: 'source:provider_instance:session_key' }),
  source: Type.String({ description: 'Token of the provider: mediaA.' }),
  provider: Type.String({ description: 'Id of the provider: MEDIAA.' }),
  provider_instance: Text,
  method: {
    ...oneOf(['watcher', 'webhook', 'poll']),
    description: 'The source of the report; `poll`: the account was queried for this response.',
  },
  media_type: oneOf(['movie', 'episode']),
  title: Type.String({ description: 'For an episode, the title of its show.' }),
  episode_title: orNull(Text),
  year: orNull(Type.Integer()),
  season: orNull(Whole),
  episode: orNull(Whole),
  progress: orNull(Type.Integer({ minimum: 0, maximum: 100, description: 'null: unknown.' })),
  position_ms: orNull(Whole),
  duration_ms: orNull(Whole),
  cover: orNull(Type.String({ description: 'http(s), /art/… or /api/…' })),
  state: oneOf(['playing', 'paused', 'buffering']),
  started: Seconds('When Playhead first saw the item in this session.'),
  updated: Seconds('When the service reported it.'),
  ids: Type.Record(Text, Text, { description: 'Ids of the show end in _show.' }),
  account: orNull(Text),
  account_id: orNull(Text),
  device: orNull(Text),
  server_uuid: orNull(Text),
  session_key: orNull(Text),
})
export type Row = Static<typeof Row>

export const Unavailable = Type.Object({ source: Text, provider: Text, provider_instance: Text, reason: Text })
export type Unavailable = Static<typeof Unavailable>

interface RowOptions {
  /** URL of a poster, if one exists. */
  readonly artOf: (kind: 'movie' | 'tv', tmdb: string) => string | null
  /** `mediaA` of `MEDIAA` */
  readonly tokenOf: (provider: string) => string
}

const RANK: Readonly<Record<Row['state'], number>> = { playing: 0, buffering: 1, paused: 2 }

/** Playing sessions before paused ones, then the latest start first. */
export function toRows(shown: readonly Shown[], options: RowOptions): readonly Row[] {
  const seen = new Set<string>()
  return shown
    .map((one) => toRow(one, options))
    .filter((row) => {
      // Two profiles may be the same user of the same server.
      const name = `${row.provider} ${row.server_uuid ?? row.provider_instance} ${row.session_key}`
      return seen.size !== seen.add(name).size
    })
    .sort((a, b) => RANK[a.state] - RANK[b.state] || b.started - a.started || (a._key < b._key ? -1 : 1))
}

/** The sessions of polled accounts. */
export function polledSessions(accounts: readonly PolledAccount[]): readonly Shown[] {
  return accounts.flatMap(({ source: { provider, instance }, sessions, atMs }) =>
    sessions.map(({ session, sinceMs }) => ({ provider, instance, method: 'poll' as const, session, sinceMs, atMs })),
  )
}

export function toUnavailable(accounts: readonly PolledAccount[]): readonly Unavailable[] {
  return accounts.flatMap(({ source: { token: source, provider, instance: provider_instance }, reason }) =>
    reason === undefined ? [] : [{ source, provider, provider_instance, reason }],
  )
}

function toRow({ provider, instance, method, session, sinceMs, atMs }: Shown, { artOf, tokenOf }: RowOptions): Row {
  const source = tokenOf(provider)
  const { key, item, state, positionMs, durationMs, percent, account, device, server, cover } = session
  const isEpisode = kindOf(item) === 'episode'
  const tmdb = isEpisode ? item.show_ids?.tmdb : item.ids.tmdb
  return {
    _key: `${source}:${instance}:${key}`,
    source,
    provider,
    provider_instance: instance,
    method,
    media_type: isEpisode ? 'episode' : 'movie',
    title: (isEpisode ? item.series_title : undefined) ?? item.title ?? 'Untitled',
    episode_title: (isEpisode ? item.title : undefined) ?? null,
    year: (isEpisode ? item.series_year : undefined) ?? item.year ?? null,
    season: (isEpisode ? item.season : undefined) ?? null,
    episode: (isEpisode ? item.episode : undefined) ?? null,
    progress:
      positionMs === undefined || durationMs === undefined
        ? percent === undefined
          ? null
          : Math.floor(percent)
        : Math.floor((positionMs / durationMs) * 100),
    position_ms: positionMs ?? null,
    duration_ms: durationMs ?? null,
    cover: cover ?? (tmdb === undefined ? null : artOf(isEpisode ? 'tv' : 'movie', tmdb)),
    state: state === 'stopped' ? 'paused' : state,
    started: toSeconds(sinceMs),
    updated: toSeconds(atMs),
    ids: { ...textsOf(item.ids), ...textsOf(isEpisode ? item.show_ids : undefined, '_show') },
    account: account.name || null,
    account_id: account.id ?? null,
    device: device ?? null,
    server_uuid: server ?? null,
    session_key: key,
  }
}

function textsOf(ids: Ids | undefined, suffix = ''): Record<string, string> {
  return Object.fromEntries(Object.entries(ids ?? {}).map(([scheme, id]) => [`${scheme}${suffix}`, String(id)]))
}

export function toSeconds(ms: number): number {
  return Math.floor(ms / 1_000)
}
