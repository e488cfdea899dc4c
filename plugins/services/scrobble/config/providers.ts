// The roles that providers can have for the scrobbler, from their descriptions.
import type { Account, ProviderDescription } from '@playhead/sdk'

/** The accounts and descriptions of all active providers. */
export interface World {
  readonly accounts: readonly Account[]
  readonly descriptions: readonly ProviderDescription[]
}

export function canWatch({ playback }: ProviderDescription): boolean {
  return playback?.watch !== undefined
}

export function canSendWebhooks({ playback }: ProviderDescription): boolean {
  return playback?.webhook !== undefined
}

/** The provider supports at least one way to follow playback. */
export function isSource(description: ProviderDescription): boolean {
  return canWatch(description) || canSendWebhooks(description)
}

/** Its webhooks also report ratings. */
export function reportsRatings({ playback }: ProviderDescription): boolean {
  return playback?.webhook?.ratings === true
}

export function isSink({ playback }: ProviderDescription): boolean {
  return playback?.scrobble !== undefined
}

/** A tracker that also stores ratings. */
export function takesRatings(description: ProviderDescription): boolean {
  return isSink(description) && description.features.ratings?.add === true
}

export function findProvider({ descriptions }: World, id: string): ProviderDescription | undefined {
  return descriptions.find((one) => one.id === id)
}

export function findAccount({ accounts }: World, provider: string, instance: string): Account | undefined {
  return accounts.find((one) => one.provider === provider && one.instance === instance)
}

/** The setting that sends ratings of the one to the other: `mediaA_trackA_ratings`. */
export function ratingToggle(source: { readonly token: string }, sink: { readonly token: string }): string {
  return `${source.token}_${sink.token}_ratings`
}

/** The trackers with an enabled toggle. */
export function toggledSinks(settings: object, source: ProviderDescription, { descriptions }: World): string[] {
  const on = new Set(Object.entries(settings).flatMap(([name, value]) => (value === true ? [name.toLowerCase()] : [])))
  return descriptions
    .filter((sink) => takesRatings(sink) && on.has(ratingToggle(source, sink).toLowerCase()))
    .map(({ id }) => id)
}
