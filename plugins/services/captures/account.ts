// Resolves the account and features of a request, and sanitizes failures of services for responses.
import {
  type Accounts,
  defined,
  isPlayheadError,
  namedAccount,
  type NamedAccount,
  PlayheadError,
  type ProviderDescription,
  type Remote,
} from '@playhead/sdk'
import { createHash } from 'node:crypto'
import { type CapturedFeature, type CaptureFeature, FEATURES_CAPTURED } from './contract.ts'

export interface Named extends NamedAccount {
  /** The features of the account that can be captured. */
  readonly features: readonly CapturedFeature[]
}

/**
 * Throws `PLH_INVALID` (`missing_provider`, `provider_not_configured`), `PLH_NOT_FOUND` (`unknown_provider`,
 * `unknown_instance`).
 */
export async function findAccount(accounts: Remote<Accounts>, provider: unknown, instance: unknown): Promise<Named> {
  const name = typeof provider === 'string' ? provider.trim() : ''
  if (name === '') throw bad('missing_provider', 'Send a service as `provider`.')
  const named = await namedAccount(accounts, name, instance)
  const { account, description } = named
  if (!account.configured)
    throw bad('provider_not_configured', `${description.label} is not connected. Sign in to it first.`)
  return { ...named, features: featuresOf(description) }
}

export function featuresOf({ features }: ProviderDescription): readonly CapturedFeature[] {
  return FEATURES_CAPTURED.filter((feature) => features[feature]?.read === true)
}

/** Throws `PLH_INVALID` (`unsupported_feature`), `PLH_UNSUPPORTED` (`feature_not_available`). */
export function readFeature({ features, description }: Named, given: unknown): CaptureFeature {
  const name = typeof given === 'string' && given.trim() !== '' ? given.trim().toLowerCase() : 'all'
  const feature = (['all', ...FEATURES_CAPTURED] as const).find((one) => one === name)
  if (feature === undefined)
    throw bad('unsupported_feature', `There are the features ${FEATURES_CAPTURED.join(', ')}, and all.`)
  if (feature === 'all' ? features.length === 0 : !features.includes(feature))
    throw new PlayheadError('PLH_UNSUPPORTED', `${description.label} has no ${feature} that can be read.`, {
      wire: 'feature_not_available',
    })
  return feature
}

/** Equal for the same account at the service; reveals nothing else about it. */
export function accountHash(provider: string, identity: string): string {
  return createHash('sha256').update(`${provider}\n${identity}`).digest('hex').slice(0, 32)
}

export function bad(wire: string, message: string, details?: Readonly<Record<string, unknown>>): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire, ...defined({ details }) })
}

const UNREACHABLE = new Set([
  'PLH_UPSTREAM',
  'PLH_AUTH_FAILED',
  'PLH_HOST_DENIED',
  'PLH_NOT_READY',
  'PLH_CAPABILITY_GONE',
  'PLH_FORBIDDEN',
])
/** A failure described without text of the service. */
const OURS = new Set(['read_incomplete', 'too_many_rows', 'capture_failed', 'partial_capture', 'provider_unreachable'])

/** A failure of a service in responses: a code, without text of the service. */
export function ofService(error: unknown): unknown {
  if (!isPlayheadError(error)) return error
  const { code, wire, retryAfterMs } = error
  if (OURS.has(wire)) return error
  const about = { cause: error, ...defined({ retryAfterMs }) }
  // A plain 404 comes from the service: its configured address is wrong.
  if (UNREACHABLE.has(code) || wire === 'not_found')
    return new PlayheadError('PLH_UPSTREAM', 'Could not reach the service, or it rejected the sign-in.', {
      ...about,
      wire: 'provider_unreachable',
      details: { reason: wire },
    })
  if (code === 'PLH_UPSTREAM_TIMEOUT')
    return new PlayheadError(code, 'The service did not respond in time.', { ...about, wire: 'provider_timeout' })
  if (code === 'PLH_UPSTREAM_INVALID')
    return new PlayheadError(code, 'The service sent an invalid response.', { ...about, wire: 'invalid_response' })
  if (code === 'PLH_RATE_LIMITED')
    return new PlayheadError(code, 'The service asks to wait.', { ...about, wire: 'rate_limited' })
  return error
}
