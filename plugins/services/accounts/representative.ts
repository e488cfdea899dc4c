// Chooses which profiles of a provider are probed, and which one represents the provider.
export interface ProfileFacts {
  readonly id: string
  readonly configured: boolean
  /** An enabled feature uses the profile. */
  readonly used: boolean
  readonly connected: boolean
}

/** All used profiles; one for an unused provider; all where a probe costs nothing. */
export function toProbe(profiles: readonly Omit<ProfileFacts, 'connected'>[], isFree: boolean): ReadonlySet<string> {
  if (isFree) return new Set(profiles.map(({ id }) => id))
  const used = profiles.filter((profile) => profile.used)
  if (used.length > 0) return new Set(used.map(({ id }) => id))
  const first =
    profiles.find(({ id, configured }) => id === 'default' && configured) ??
    profiles.find(({ configured }) => configured)
  return new Set(first === undefined ? [] : [first.id])
}

const CHOICES: readonly ((profile: ProfileFacts) => boolean)[] = [
  ({ id, used, connected }) => used && connected && id !== 'default',
  ({ id, used, connected }) => used && connected && id === 'default',
  ({ used }) => used,
  ({ id, connected }) => connected && id === 'default',
  ({ connected }) => connected,
  ({ configured }) => configured,
]

export function representative(profiles: readonly ProfileFacts[]): string {
  for (const isChosen of CHOICES) {
    const found = profiles.find(isChosen)
    if (found !== undefined) return found.id
  }
  return 'default'
}
