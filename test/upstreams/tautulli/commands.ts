// The commands of Tautulli, and the envelope of their responses.
import type { UpstreamReply } from '../base/index.ts'
import type { LibraryItem, Playback, State } from './state.ts'

const DEFAULT_LENGTH = 25
const WATCHED_PERCENT = 85

export class CommandError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const COMMANDS: Readonly<Record<string, (state: State, parameters: URLSearchParams) => unknown>> = {
  get_server_info: ({ serverId }) => ({
    pms_identifier: serverId,
    pms_name: 'Living room',
    pms_ip: '127.0.0.1',
    pms_port: 32_400,
    pms_ssl: 0,
  }),
  get_user_names: ({ users }) => [
    { friendly_name: 'Local', user_id: 0 },
    ...users.map(({ id, name }) => ({ friendly_name: name, user_id: id })),
  ],
  get_history: history,
  get_metadata: metadata,
}

export function run(state: State, parameters: URLSearchParams): UpstreamReply {
  try {
    if (!state.isEnabled) throw new CommandError(404, 'API not enabled')
    const key = parameters.get('apikey')
    if (key === null || key === '') throw new CommandError(401, 'Parameter apikey is required')
    if (key !== state.apiKey) throw new CommandError(401, 'Invalid apikey')
    const cmd = parameters.get('cmd')
    if (cmd === null) throw new CommandError(400, 'Parameter cmd is required')
    const command = COMMANDS[cmd]
    if (command === undefined) throw new CommandError(400, `Unknown command: ${cmd}`)
    const data = command(state, parameters)
    return {
      status: 200,
      json: { response: { result: 'success', message: null, data: state.writesText ? asText(data) : data } },
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { status: error.status, json: { response: { result: 'error', message: error.message, data: {} } } }
  }
}

function history(state: State, parameters: URLSearchParams): unknown {
  const userId = parameters.get('user_id')
  const kinds = parameters.get('media_type')?.split(',')
  const isGrouped = parameters.get('grouping') !== '0'
  const wanted = state.playbacks.filter(
    (one) =>
      (userId === null || userId.split(',').includes(String(one.userId))) &&
      (kinds === undefined || kinds.includes(one.item.type)),
  )
  const rows = isGrouped
    ? [...Map.groupBy(wanted, ({ referenceId }) => referenceId).values()].map(groupRow)
    : wanted.map((one) => groupRow([one]))
  rows.sort((a, b) => Number(b['date']) - Number(a['date']))
  const activity =
    parameters.get('include_activity') === '0'
      ? []
      : state.running.map((one) => ({ ...groupRow([one]), row_id: null, state: 'playing', stopped: 0 }))
  const start = state.ignoresStart ? 0 : Number(parameters.get('start') ?? 0)
  const length = Number(parameters.get('length') ?? DEFAULT_LENGTH)
  return {
    draw: 1,
    recordsTotal: state.playbacks.length,
    recordsFiltered: rows.length,
    total_duration: '1 day',
    filter_duration: '1 hr',
    data: [...activity, ...rows].slice(start, start + length),
  }
}

function groupRow(pieces: readonly Playback[]): Record<string, unknown> {
  const last = pieces.at(-1) as Playback
  const first = pieces[0] as Playback
  const { item } = last
  const percent = Math.max(...pieces.map((piece) => piece.percent))
  return {
    row_id: last.rowId,
    reference_id: first.referenceId,
    group_count: pieces.length,
    group_ids: pieces.map(({ rowId }) => rowId).join(','),
    date: last.startedS,
    started: first.startedS,
    stopped: last.stoppedS,
    user_id: last.userId,
    media_type: item.type,
    rating_key: item.ratingKey,
    parent_rating_key: '',
    grandparent_rating_key: item.showKey ?? '',
    title: item.title,
    grandparent_title: item.type === 'episode' ? showTitle(item) : '',
    year: item.year,
    media_index: item.number ?? '',
    parent_media_index: item.season ?? '',
    guid: item.guid,
    live: last.live ? 1 : 0,
    percent_complete: percent,
    watched_status: percent >= WATCHED_PERCENT ? 1 : Math.floor(percent / 25) / 4,
    state: null,
  }
}

/** Rows keep the title that the show had at the time of the play. */
const TITLES = new WeakMap<LibraryItem, string>()
export function rememberShowTitle(item: LibraryItem, title: string): void {
  TITLES.set(item, title)
}
function showTitle(item: LibraryItem): string {
  return TITLES.get(item) ?? ''
}

function metadata({ items }: State, parameters: URLSearchParams): unknown {
  const item = items.get(Number(parameters.get('rating_key')))
  if (item === undefined || item.deleted) return {}
  const show = item.showKey === undefined ? undefined : items.get(item.showKey)
  return {
    media_type: item.type,
    rating_key: String(item.ratingKey),
    title: item.title,
    year: String(item.year),
    guid: item.guid,
    guids: item.guids,
    ...(show === undefined
      ? {}
      : {
          grandparent_title: show.title,
          grandparent_guid: show.guid,
          grandparent_guids: show.guids,
          media_index: String(item.number),
          parent_media_index: String(item.season),
        }),
  }
}

function asText(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(asText)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asText(one)]))
}
