// Validates the page to open after login. The value comes from the address bar, so it must be a page of this service
// without side effects.
const MAX_LENGTH = 2_048

/** The page to open after login; `/` if the requested one is missing or not allowed. */
export function nextPage(wish: unknown): string {
  return typeof wish === 'string' && isOurPage(wish) ? wish : '/'
}

function isOurPage(wish: string): boolean {
  if (!/^\/(?!\/)[^\\\p{Cc}]*$/u.test(wish) || wish.length > MAX_LENGTH) return false
  const url = URL.parse(wish, ORIGIN)
  return url?.origin === ORIGIN && !NOT_A_PAGE.test(url.pathname)
}

// Resolving against an unused origin reveals absolute addresses.
const ORIGIN = 'http://playhead.invalid'

// Login and logout would loop; /api and /callback have side effects.
const NOT_A_PAGE = /^\/+(login|logout|api|callback|webhook)(\/|$)/i
