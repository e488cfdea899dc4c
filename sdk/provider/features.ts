// The kinds of lists that are synchronized.
export const FEATURES = ['watchlist', 'history', 'ratings', 'progress', 'playlists'] as const

export type Feature = (typeof FEATURES)[number]
