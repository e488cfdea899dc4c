// The limits of an account by plan: size and request rate.
export interface Plan {
  readonly vip: boolean
  readonly watchlist: number
  readonly lists: number
  readonly listItems: number
  readonly history: number
  readonly ratings: number
}

export const PLANS = {
  free: { vip: false, watchlist: 250, lists: 5, listItems: 250, history: 100_000, ratings: 10_000 },
  vip: { vip: true, watchlist: 5_000, lists: 100, listItems: 5_000, history: 100_000, ratings: 20_000 },
} as const satisfies Record<string, Plan>

export type PlanName = keyof typeof PLANS

export interface RateLimit {
  readonly name: string
  readonly periodS: number
  readonly limit: number
}

export interface RateLimits {
  readonly read: RateLimit
  readonly write: RateLimit
}

export const RATE_LIMITS: RateLimits = {
  read: { name: 'AUTHED_API_GET_LIMIT', periodS: 300, limit: 500 },
  write: { name: 'AUTHED_API_POST_LIMIT', periodS: 1, limit: 1 },
}

/** Default and maximum rows per page. */
export const PAGE = { rows: 100, most: 250 } as const
