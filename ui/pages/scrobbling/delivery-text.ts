// Texts of a delivery: its content, and why it waits or failed.
import type { Answer } from '../../api/client.ts'
import { episodeCode } from '../../parts/values/episode.ts'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'

export type Delivery = Answer<'GET /api/scrobbler/queue'>['items'][number]

const { queue: texts } = scrobbling
const REASONS: readonly (readonly [pattern: RegExp, name: keyof typeof texts.reasons])[] = [
  [/^already/, 'already'],
  [/^replaced$/, 'replaced'],
  [/^watched_just_now$/, 'justNow'],
  [/^provider_limit$|^quota$|account_limit/, 'limit'],
  [/^(?:rate_limited|too_many)/, 'rateLimited'],
  [/timeout$/, 'timeout'],
  [/^(?:connection_lost|unknown)$/, 'lost'],
  [/^tls/, 'certificate'],
  // The connection failed, not the request.
  [/^(?:refused|unknown_host|unreachable|network|host_not_allowed|down|failed|blocked)$/, 'unreachable'],
  [/^(?:auth_failed|unauthorized|token_|refresh_failed|missing_auth)/, 'signIn'],
  [/^(?:not_configured|not_connected|missing_credentials|not_ready)/, 'notConnected'],
  [/^(?:forbidden|vip_only|not_authorized|owner_only)/, 'forbidden'],
  [/^(?:not_found|not_in_|target_not_found|no_match)/, 'notFound'],
  [/missing_ids?$|^no_usable_ids$|^ids_|^missing_numbers$/, 'ids'],
  [/^unsupported/, 'unsupported'],
  [/^(?:busy|locked|deferred)$/, 'busy'],
  [/^(?:invalid_response|not_understood|upstream_error|internal)$/, 'broken'],
  [/^(?:plugin_|capability_|aborted$)/, 'plugin'],
  [/^plan_/, 'plan'],
  [/^(?:rejected|refused_by_service|conflict|invalid)/, 'rejected'],
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
