// A delivery in words: what it says, and why it waits or failed.
import type { Answer } from '../../api/client.ts'
import { episodeCode } from '../../parts/values/episode.ts'
import type { Tone } from '../../parts/values/status-badge.tsx'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'

export type Delivery = Answer<'GET /api/scrobbler/queue'>['items'][number]

const { queue: texts } = scrobbling
export const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  queued: 'busy',
  sending: 'busy',
  waiting: 'warn',
  planned: 'busy',
  done: 'good',
  failed: 'bad',
  dropped: 'idle',
}
const REASONS: readonly (readonly [pattern: RegExp, name: keyof typeof texts.reasons])[] = [
  [/^already/, 'already'],
  [/^replaced$/, 'replaced'],
  [/^provider_limit$|^quota$|account_limit/, 'limit'],
  [/^rate_limited/, 'rateLimited'],
  [/^timeout$/, 'timeout'],
  [/^connection_lost$|^unknown$/, 'lost'],
  [/^(?:auth_failed|unauthorized|token_|refresh_failed)/, 'signIn'],
  [/^(?:not_configured|missing_credentials|not_ready)/, 'notConnected'],
  [/^(?:not_found|not_in_catalog|target_not_found)/, 'notFound'],
  [/missing_ids?$|^no_usable_ids$|^ids_/, 'ids'],
  [/^unsupported/, 'unsupported'],
  [/^plugin_/, 'plugin'],
  [/^plan_/, 'plan'],
  [/^(?:rejected|forbidden|vip_only|refused)/, 'rejected'],
  [/^(?:connect|dns|socket|network|host|tls|unreachable|failed$|econn)/, 'unreachable'],
]

export function deliveryName({ title, season, episode, episode_title: name, year }: Delivery): string {
  const code = episodeCode(season, episode)
  const extra = code === '' ? (year === null ? '' : ` (${year})`) : name === null ? '' : ` · ${name}`
  return `${title ?? texts.untitled}${code === '' ? '' : ` ${code}`}${extra}`
}

export function whatText({ action, completed, progress, rating }: Delivery): string {
  const { what } = texts
  if (action === 'rating') return rating === null ? what.unrated : say(what.rating, { n: rating })
  if (completed) return what.watched
  return action === 'start' ? what.start : say(what[action], { progress: Math.round(progress) })
}

export function reasonText(code: string | null, target: string): string | null {
  if (code === null || code === '' || code === 'ok') return null
  const status = /^http_(\d{3})$/.exec(code)?.[1]
  if (status !== undefined) return say(texts.reasons[status < '500' ? 'refused' : 'down'], { target, status })
  const name = REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'other'
  return texts.reasons[name].replaceAll('{target}', target).replaceAll('{code}', code)
}
