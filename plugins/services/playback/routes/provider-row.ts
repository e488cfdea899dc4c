// Converts a profile to its response row.
import type { ProviderRow } from '../answers.ts'
import { abilitiesOf, type Profile } from '../profiles.ts'
import type { ProfileRows } from '../read/reads.ts'
import { isoTime } from '../show/record.ts'

export function providerRow(profile: Profile, rows: ProfileRows | undefined): ProviderRow {
  const abilities = abilitiesOf(profile)
  return {
    provider: profile.provider,
    provider_label: profile.label,
    instance_id: profile.instance,
    instance_label: profile.instanceLabel,
    included: profile.included,
    configured: profile.configured,
    ...abilities,
    reason: profile.reason,
    last_refresh: isoTime(rows?.readAtMs ?? null),
    last_error: rows?.failure?.message ?? null,
    capabilities: abilities,
  }
}
