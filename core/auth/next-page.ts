// Where to go after signing in. The value comes from the address bar, so it may be a trap: it must stay with us, and it
// must be a page, because following it happens with the fresh session.
const MAX_LENGTH = 2_048

/** The page to open after login; `/` when the wish is missing or not honoured. */
export function nextPage(wish: unknown): string {
  return typeof wish === 'string' && isOurPage(wish) ? wish : '/'
}

function isOurPage(wish: string): boolean {
  if (!/^\/(?!\/)[^\\\p{Cc}]*$/u.test(wish) || wish.length > MAX_LENGTH) return false
  const url = URL.parse(wish, ORIGIN)
  return url?.origin === ORIGIN && !NOT_A_PAGE.test(url.pathname)
}

// Resolving against an origin that nobody has shows whether the wish leads elsewhere.
const ORIGIN = 'http://playhead.invalid'

// Login and logout would lead in circles; what lies below /api and /callback can have effects.
const NOT_A_PAGE = /^\/+(login|logout|api|callback|webhook)(\/|$)/i
