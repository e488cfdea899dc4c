// Responses that start a sign-in, in their known forms, and allowed login pages.
import type { Static } from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import { trimAddress } from '@playhead/sdk/provider'
import { LOGIN_PAGE } from '../settings.ts'
import type { Login } from '../wire.ts'

type LoginRow = Static<typeof Login>[number]

const DEFAULT_LIFE_MS = 300_000
const MAX_LIFE_MS = 3_600_000
const LOGIN_PATH = '/tv-login'

/** The link to show; undefined unless it leads to the requested page. */
export function linkOf({ web_url: web, qr_content: qr }: LoginRow, page: string): string | undefined {
  const { origin } = new URL(page)
  return [web, qr].find(
    (link): link is string => typeof link === 'string' && URL.canParse(link) && new URL(link).origin === origin,
  )
}

export function lastingMs({ expires_at: at, expires_at_millis: millis }: LoginRow, nowMs: number): number {
  const endsAtMs = parseTime(millis)?.atMs ?? parseTime(at)?.atMs ?? nowMs + DEFAULT_LIFE_MS
  return Math.min(Math.max(0, endsAtMs - nowMs), MAX_LIFE_MS)
}

/**
 * The page where a person enters the password: the service's own, or the configured one if `asked` is empty. Undefined
 * for any other page.
 */
export function loginPage(asked: string, configured: string): string | undefined {
  const page = trimAddress(asked, configured)
  if (!URL.canParse(page) || !URL.canParse(configured)) return undefined
  const { origin, pathname, username, password, search, hash } = new URL(page)
  const isOurs = origin === new URL(LOGIN_PAGE).origin || origin === new URL(configured).origin
  const isPlain = username === '' && password === '' && search === '' && hash === ''
  return isOurs && isPlain && pathname === LOGIN_PATH ? page : undefined
}
