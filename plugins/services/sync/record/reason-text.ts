// Why a feature was skipped or ran only in part, as a sentence with the names of the services.
import { reasonLabel } from '@playhead/sdk'
import type { FeatureReport } from '../contract.ts'
import { nameOf, type ServiceLabel } from '../pairs/pairs.ts'

export type Labels = readonly ServiceLabel[]

const SERVICE_SENTENCES: Readonly<Record<string, (service: string) => string>> = {
  down: (service) => `Could not reach ${service}.`,
  auth_failed: (service) => `${service} rejected the sign-in. Sign in again.`,
  not_configured: (service) => `${service} is not signed in.`,
  provider_missing: (service) => `The plugin for ${service} is not running.`,
  account_changed: (service) => `Another account is signed in to ${service}.`,
  read_incomplete: (service) => `${service} could not be read completely.`,
  unknown: (service) => `Could not check ${service}.`,
}
const SENTENCES: Readonly<Record<string, string>> = {
  unsupported: 'One of the two services does not support this.',
  plays_unavailable:
    'Single plays are not available at the moment. After a week, only the last play of each title is compared.',
  held_mass_delete: 'Some changes need your approval.',
  changed_since_approval: 'Changes that you have not approved yet need your approval.',
  veto_failed: 'A plugin has not approved some changes yet.',
  interrupted: 'Playhead stopped during the run.',
  cancelled: 'The run was cancelled.',
  rolled_back: 'The restored data could not be used. The previous data is back in place.',
  internal: 'Playhead had an internal error. See the log.',
  internal_error: 'Playhead had an internal error. See the log.',
}

export function reasonText(
  { reason, about = [] }: Pick<FeatureReport, 'reason' | 'about'>,
  providers: Labels,
): string | null {
  if (reason === undefined) return null
  const names = about.map(({ provider, instance }) => nameOf(provider, instance, providers)).join(' and ')
  const sentence = names === '' ? SENTENCES[reason] : SERVICE_SENTENCES[reason]?.(names)
  return (
    sentence ??
    SERVICE_SENTENCES[reason]?.('a service') ??
    SENTENCES[reason] ??
    `${names === '' ? '' : `${names}: `}${reasonLabel(reason)}.`
  )
}

export function labelOf(reason: string | null | undefined): string | null {
  return reason == null ? null : reasonLabel(reason)
}
