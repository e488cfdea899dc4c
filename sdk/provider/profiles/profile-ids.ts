// Ids of profiles: `default`, and `<ID>-P01` to `<ID>-P99`.
import { PlayheadError } from '../../errors.ts'

/** Id of a provider's first profile. Others are `<ID>-P01` to `<ID>-P99`. */
export const DEFAULT_PROFILE = 'default'

/**
 * Normalizes an id: blank or `default` in any case is the default profile; others are upper case; a trailing
 * `:<digits>` is removed.
 */
export function canonicalId(text: string): string {
  const trimmed = text.trim().replace(/:\d+$/, '')
  return trimmed === '' || trimmed.toLowerCase() === DEFAULT_PROFILE ? DEFAULT_PROFILE : trimmed.toUpperCase()
}

export function isOfProvider(id: string, providerId: string): boolean {
  return id.startsWith(`${providerId}-P`) && /^\d{2}$/.test(id.slice(providerId.length + 2)) && numberOf(id) > 0
}

export function invalidId(text: string, providerId: string): PlayheadError {
  return new PlayheadError(
    'PLH_INVALID',
    `"${text.slice(0, 80)}" names no profile. Profiles are named like ${providerId}-P01.`,
    { wire: 'invalid_instance_id', details: { instance: text.slice(0, 80) } },
  )
}

export function numberOf(id: string): number {
  return id === DEFAULT_PROFILE ? 0 : Number(/-P(\d{2})$/.exec(id)?.[1] ?? 0)
}

export function unknownProfile(instance: string): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', `There is no profile "${instance}".`, { details: { instance } })
}
