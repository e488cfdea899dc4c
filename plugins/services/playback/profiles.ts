// Profiles with readable positions and their available operations, from the descriptions of the providers.
import type { Account, Accounts, FeatureSupport, ProviderDescription, Remote } from '@playhead/sdk'

export interface Profile {
  /** `PROVIDER:profile` */
  readonly key: string
  readonly provider: string
  readonly label: string
  readonly instance: string
  readonly instanceLabel: string
  /** A changed value may belong to another account. */
  readonly fingerprint: string
  readonly configured: boolean
  /** False if the settings exclude the profile. */
  readonly included: boolean
  /** The reason code why the profile is unavailable; `''` if it is available. */
  readonly reason: string
  readonly progress: FeatureSupport
  readonly history: FeatureSupport | undefined
  /** Libraries selected for positions; empty for all. */
  readonly libraries: readonly string[]
}

export type ProfileList = readonly Profile[]

/** Reasons of profiles without their own settings; such profiles are not listed. */
const EMPTY: ReadonlySet<string | undefined> = new Set(['not_configured', 'disabled', undefined])

/** Profiles with their own settings, of providers with positions; sorted by provider, `default` first. */
export async function listProfiles(
  accounts: Pick<Remote<Accounts>, 'providers' | 'list'>,
  disabled: readonly string[],
): Promise<ProfileList> {
  const [descriptions, all] = await Promise.all([accounts.providers(), accounts.list()])
  const excluded = new Set(disabled.map(keyText))
  return descriptions.flatMap((description) =>
    all
      .filter(({ provider, configured, reasonCode }) => {
        return provider === description.id && (configured || !EMPTY.has(reasonCode))
      })
      .flatMap((account) => toProfile(description, account, excluded) ?? []),
  )
}

function toProfile(
  { id, label, features: { progress, history } }: ProviderDescription,
  { instance, label: name, fingerprint, configured, reasonCode, libraries }: Account,
  excluded: ReadonlySet<string>,
): Profile | undefined {
  if (progress?.read !== true) return undefined
  const key = `${id}:${instance}`
  const included = !excluded.has(keyText(key))
  return {
    key,
    provider: id,
    label,
    instance,
    instanceLabel: name || (instance === 'default' ? 'Default' : instance),
    fingerprint,
    configured,
    included,
    reason: !configured ? (reasonCode ?? 'not_configured') : included ? '' : 'excluded',
    progress,
    history,
    libraries: libraries?.progress ?? [],
  }
}

/** The form for comparing profile keys. */
export function keyText(key: string): string {
  return key.trim().toUpperCase()
}

/** The positions of this profile are read and shown. */
export function isShown({ configured, included }: Profile): boolean {
  return configured && included
}

interface Abilities {
  readonly read: boolean
  readonly remove_progress: boolean
  readonly mark_watched: boolean
  readonly update_progress: boolean
  readonly bulk_remove_progress: boolean
  readonly bulk_mark_watched: boolean
  readonly bulk_update_progress: boolean
  readonly supports_movies: boolean
  readonly supports_episodes: boolean
  readonly supports_anime: boolean
}

export function abilitiesOf({ configured, progress, history }: Profile): Abilities {
  const remove = configured && progress.remove
  const mark = configured && history?.add === true
  const update = configured && (progress.update || progress.add)
  return {
    read: configured && progress.read,
    remove_progress: remove,
    mark_watched: mark,
    update_progress: update,
    bulk_remove_progress: remove,
    bulk_mark_watched: mark,
    bulk_update_progress: update,
    supports_movies: progress.kinds.includes('movie'),
    supports_episodes: progress.kinds.includes('episode'),
    supports_anime: progress.anime === true,
  }
}
