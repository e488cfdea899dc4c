// The services that most people begin with, in this order; the others follow by name.
const POPULAR: readonly string[] = ['plex', 'jellyfin', 'emby', 'trakt', 'simkl', 'anilist', 'tmdb', 'mdblist']

export function isPopular(label: string): boolean {
  return POPULAR.includes(label.toLowerCase())
}

export function byPopularity(a: { readonly label: string }, b: { readonly label: string }): number {
  return rankOf(a.label) - rankOf(b.label) || a.label.localeCompare(b.label)
}

function rankOf(label: string): number {
  const place = POPULAR.indexOf(label.toLowerCase())
  return place === -1 ? POPULAR.length : place
}
